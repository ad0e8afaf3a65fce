// Only what both lists name: an operator that one of them leaves out is unclassified there.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/list_disagreement.h"

namespace opledger {

void CompareLists(const ListIndex& first, const ListIndex& second, std::vector<Finding>& findings) {
  for (const EntryUse& use : second.uses) {
    if (use.op == nullptr) continue;
    const std::vector<int>* here = second.Find(use.op->name);
    const std::vector<int>* there = first.Find(use.op->name);
    const bool repeated = &second.uses[static_cast<std::size_t>(here->front())] != &use;
    if (there == nullptr || repeated) continue;
    const ListEntry& other = *first.uses[static_cast<std::size_t>(there->front())].entry;
    if (other.policy == use.entry->policy) continue;
    Finding& finding = findings.emplace_back();
    finding.op = use.op->name;
    finding.list = second.label;
    finding.location = use.entry->location;
    finding.message = "'" + use.op->name + "' is '" + PolicyName(use.entry->policy) +
                      "' in list '" + second.label + "' but '" + PolicyName(other.policy) +
                      "' in list '" + first.label + "'";
    finding.related.push_back({other.location, "the other entry"});
  }
}

}  // namespace opledger
