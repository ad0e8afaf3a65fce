// By names: an operator that is renamed is removed and added.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/changes.h"

#include <map>

namespace opledger {
namespace {

std::vector<const Operator*> OnlyIn(const CheckIndex& one, const CheckIndex& other) {
  std::vector<const Operator*> only;
  for (const Operator& op : one.manifest().operators) {
    if (!op.CanExist()) continue;
    const Operator* there = other.Primary(op.name);
    if (there == nullptr || !there->CanExist()) only.push_back(&op);
  }
  return only;
}

using PolicyTable = std::map<std::string, Policy>;

PolicyTable PoliciesOf(const ListIndex& list) {
  PolicyTable policies;
  for (const EntryUse& use : list.uses) {
    policies.emplace(use.op != nullptr ? use.op->name : use.entry->op, use.entry->policy);
  }
  return policies;
}

void Compare(const std::string& label, const PolicyTable& before, const PolicyTable& after,
             std::vector<PolicyChange>& changes) {
  PolicyTable all = before;
  all.insert(after.begin(), after.end());
  const auto find = [](const PolicyTable& policies, const std::string& op) {
    const auto place = policies.find(op);
    return place == policies.end() ? std::nullopt : std::optional<Policy>(place->second);
  };
  for (const auto& [op, policy] : all) {
    PolicyChange change = {label, op, find(before, op), find(after, op)};
    if (change.before != change.after) changes.push_back(std::move(change));
  }
}

}  // namespace

Changes FindChanges(const CheckIndex& before, const CheckIndex& after) {
  Changes changes;
  changes.added = OnlyIn(after, before);
  changes.removed = OnlyIn(before, after);
  for (const ListIndex& list : after.lists()) {
    for (const ListIndex& old : before.lists()) {
      if (old.label == list.label) {
        Compare(list.label, PoliciesOf(old), PoliciesOf(list), changes.policies);
      }
    }
  }
  return changes;
}

}  // namespace opledger
