// The cache of facts: by tool, dialect, mode, path, command line and content of the unit, and valid
// while the names they depend on mean what they meant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "registry/scan/cache/cache.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/macros/macros.h"

namespace opledger::scan {

class FactsCache {
 public:
  // `base_key`: of what all units share.
  FactsCache(Cache& cache, SourceTree& tree, const Digest& base_key)
      : cache_(cache), tree_(tree), base_key_(base_key) {}

  // The facts of `unit` where they still hold.
  std::optional<Facts> Find(const MacroIndex& index, int unit);
  // The facts last stored for the unit with these bytes, unverified.
  std::optional<Facts> Stored(int unit, const Digest& content);
  // `answer`: the serialised facts.
  void Put(const MacroIndex& index, int unit, const Facts& facts, std::string_view answer);

 private:
  Digest Key(int unit, const Digest& content) const;
  Digest ReachDigest(const MacroIndex& index, int unit) const;
  // Whether what the unit asked for is there, or not, as it was. Never so for __has_include_next.
  bool AreAsAsked(const Facts& facts);

  Cache& cache_;
  SourceTree& tree_;
  Digest base_key_;
};

}  // namespace opledger::scan
