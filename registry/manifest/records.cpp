// Caches conditions by their texts.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/records.h"

#include <functional>
#include <string>
#include <unordered_map>

#include "registry/text/text_hash.h"

namespace opledger {
const Condition& ParsedCondition(std::string_view text) {
  static thread_local std::unordered_map<std::string, Condition, TextHash, std::equal_to<>> known;
  auto found = known.find(text);
  if (found == known.end()) {
    Condition condition = text.empty() ? Condition() : Condition::FromExpression(text);
    found = known.emplace(text, std::move(condition)).first;
  }
  return found->second;
}

}  // namespace opledger
