// What repeats an entry is duplicate-entry's business, and in-several-lists'.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/entry_findings.h"

#include <utility>

namespace opledger {

void ForEachListedOperator(
    const CheckIndex& index,
    const std::function<void(const ListIndex& list, const EntryUse& use)>& visit) {
  for (const ListIndex& list : index.lists()) {
    for (const EntryUse& use : list.uses) {
      if (use.op == nullptr) continue;
      if (list.Find(use.op->name)->front() == &use - list.uses.data()) visit(list, use);
    }
  }
}

Finding& AddAtEntry(const ListIndex& list, const EntryUse& use, std::string message,
                    std::vector<Finding>& findings) {
  Finding& finding = findings.emplace_back();
  finding.op = use.op->name;
  finding.list = list.label;
  finding.location = use.entry->location;
  finding.message = std::move(message);
  return finding;
}

void RelateKernel(const Kernel& kernel, const char* what, Finding& finding) {
  if (!kernel.location.path.empty()) finding.related.push_back({kernel.location, what});
}

}  // namespace opledger
