// The table of all interned strings.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/interned.h"

#include <functional>
#include <mutex>
#include <unordered_set>

#include "registry/text/text_hash.h"

namespace opledger {
namespace {

struct InternTable {
  std::mutex mutex;
  std::unordered_set<std::string, TextHash, std::equal_to<>>
      texts;  // addresses of its nodes are stable
};

}  // namespace

const std::string* InternedString::Intern(std::string_view text) {
  if (text.empty()) return &kEmpty;
  static InternTable* const table = new InternTable;  // outlives everything that points into it
  const std::lock_guard<std::mutex> lock(table->mutex);
  auto found = table->texts.find(text);
  if (found == table->texts.end()) found = table->texts.emplace(text).first;
  return &*found;
}

}  // namespace opledger
