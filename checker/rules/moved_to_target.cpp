// moved-to-target: since the revision compared with, an operator has come to run in 16 bits, and
// no reason is given.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kMovedToTargetPage[] =
    R"(Since the revision that --against names, an operator that ran in float32, or in
the widest type of its inputs, has moved to 'target', and its entry gives neither
a reason nor a note. Without --against this rule finds nothing.

Why: models that were converted with the list lose accuracy from one release to
the next, and nothing else in the change shows it.

Example:
  registered: exp
  before: {"framework": "demo", "target_dtype": "float16", "fp32": ["exp"]}
  list: {"framework": "demo", "target_dtype": "float16", "target": ["exp"]}
  finding: operator 'exp' moved from 'fp32' to 'target' in list 'float16' without a reason

What to do: state in the entry's "note" what was measured, or move it back.
)";

// The list of the same label, or nullptr.
const ListIndex* FindList(const CheckIndex& index, const std::string& label) {
  for (const ListIndex& list : index.lists()) {
    if (list.label == label) return &list;
  }
  return nullptr;
}

void CheckMovedToTarget(const CheckIndex& index, std::vector<Finding>& findings) {
  if (index.before() == nullptr) return;
  for (const ListIndex& list : index.lists()) {
    const ListIndex* before = FindList(*index.before(), list.label);
    if (before == nullptr) continue;
    for (const EntryUse& use : list.uses) {
      const ListEntry& entry = *use.entry;
      if (entry.policy != Policy::kTarget || !entry.note.empty() || !entry.reason.empty()) continue;
      const std::string_view name = use.op != nullptr ? use.op->name : entry.op;
      const std::vector<int>* places = before->Find(name);
      if (places == nullptr) continue;
      const Policy old = before->uses[places->front()].entry->policy;
      if (old != Policy::kFp32 && old != Policy::kWidest) continue;
      Finding& finding = findings.emplace_back();
      finding.op = std::string(name);
      finding.list = list.label;
      finding.location = entry.location;
      finding.message = "operator '" + finding.op + "' moved from '" + PolicyName(old) +
                        "' to 'target' in list '" + list.label + "' without a reason";
    }
  }
}

}  // namespace

extern const Rule kMovedToTarget = {"moved-to-target", Severity::kWarning,
                                    "an operator was moved to 16 bits without a reason",
                                    kMovedToTargetPage, CheckMovedToTarget};

}  // namespace opledger
