// Caches the facts of units, by tool, dialect, mode, and the path, command line and content of the
// unit. Entries are valid as long as the names they depend on keep their meanings.
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
  // `base_key`: digest of what all units share.
  FactsCache(Cache& cache, SourceTree& tree, const Digest& base_key)
      : cache_(cache), tree_(tree), base_key_(base_key) {}

  // Returns the cached facts of `unit` if they are still valid.
  std::optional<Facts> Find(const MacroIndex& index, int unit);
  // Returns the facts that were last stored for a unit with this content, without validation.
  std::optional<Facts> Stored(int unit, const Digest& content);
  // `answer`: the serialized facts.
  void Put(const MacroIndex& index, int unit, const Facts& facts, std::string_view answer);

 private:
  Digest Key(int unit, const Digest& content) const;
  Digest ReachDigest(const MacroIndex& index, int unit) const;
  // Returns whether the headers that the unit asked for exist as before. Always false for
  // __has_include_next.
  bool AreAsAsked(const Facts& facts);

  Cache& cache_;
  SourceTree& tree_;
  Digest base_key_;
};

}  // namespace opledger::scan
