// In C++ and Python, adjacent literals without a comma are joined: "Sum" "Tanh" is the entry
// SumTanh, which names no operator and leaves two operators without a policy.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checker/index/index.h"

namespace opledger {
namespace {

constexpr std::size_t kShortestPart = 2;
constexpr std::size_t kMaxParts = 4;

// Splits `name` into as few names or aliases of operators as possible. Returns {} if that is not
// possible.
std::vector<GluedPart> Split(const CheckIndex& check, std::string_view name, std::size_t most) {
  if (const Operator* op = check.Resolve(name)) return {{op, std::string(name)}};
  std::vector<GluedPart> best;
  if (most < 2) return best;
  for (std::size_t at = kShortestPart; at + kShortestPart <= name.size(); ++at) {
    const Operator* first = check.Resolve(name.substr(0, at));
    if (first == nullptr) continue;
    std::vector<GluedPart> rest = Split(check, name.substr(at), most - 1);
    if (rest.empty() || (!best.empty() && rest.size() + 1 >= best.size())) continue;
    rest.insert(rest.begin(), {first, std::string(name.substr(0, at))});
    best = std::move(rest);
  }
  return best;
}

}  // namespace

void FindGluedEntries(const CheckIndex& check, ListIndex& index) {
  for (const EntryUse* use : index.stale) {
    std::vector<GluedPart> parts = Split(check, use->entry->op, kMaxParts);
    const auto unlisted = std::count_if(parts.begin(), parts.end(), [&](const GluedPart& part) {
      return std::find(index.unclassified.begin(), index.unclassified.end(), part.op) !=
             index.unclassified.end();
    });
    if (unlisted > 0) index.glued.push_back({use, std::move(parts), static_cast<int>(unlisted)});
  }
  for (const GluedEntry& glued : index.glued) {
    std::erase(index.stale, glued.use);
    for (const GluedPart& part : glued.parts) std::erase(index.unclassified, part.op);
  }
}

}  // namespace opledger
