// removed-from-target: compared with a revision, the framework's own list lost a row under
// 'target'.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/entry_findings.h"
#include "checker/rules/removed_entries.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kRemovedFromTargetPage[] =
    R"(Compared with the revision that --against names, an operator lost its row under
'target' in a list that the framework keeps itself, and has no other row there. The
finding is a warning if another list for the device still says 'target', otherwise a
note. Without --against this rule finds nothing.

Why: models run slower, perhaps by mistake: a row that is removed from one of several
lists should often be removed from all of them, or from none.

Example:
  registered: conv2d, relu
  policy: relu (widest)
  policy before: conv2d (target)
  before: {"framework": "demo", "target_dtype": "float16", "unlisted": "either", "derived_from": [{"registrations": "policy"}]}
  list: {"framework": "demo", "target_dtype": "float16", "unlisted": "either",
         "derived_from": [{"registrations": "policy"}]}
  finding: operator 'conv2d' left 'target' in list 'float16'; unlisted operators are 'either'

What to do: if it was meant, remove the row from the other lists too, or say why they
differ in the list's "removed".
)";

// Returns the labels of the lists for the same device that have the operator under 'target'.
// device-lists-disagree compares other devices.
std::vector<std::string> StillTarget(const CheckIndex& index, const Operator& op,
                                     const std::string& device) {
  std::vector<std::string> labels;
  for (const ListIndex& list : index.lists()) {
    const EntryUse* const use = list.Find(op.name);
    if (use == nullptr || use->entry->policy != Policy::kTarget || !list.Exists(op)) continue;
    if (list.list->device != device) continue;
    labels.push_back(list.label);
  }
  return labels;
}

void CheckRemovedFromTarget(const CheckIndex& index, std::vector<Finding>& findings) {
  if (index.before() == nullptr) return;
  for (const ListIndex& list : index.lists()) {
    const ListIndex* const before = FindList(*index.before(), list.label);
    if (before == nullptr || !list.list->whole) continue;
    ForEachRemoved(index, list, *before, [&](const Operator& op, const ListEntry& old) {
      if (old.policy != Policy::kTarget || old.source.empty()) return;
      if (list.Find(op.name) != nullptr) return;  // device-lists-disagree compares entries
      Finding& finding = findings.emplace_back();
      finding.op = op.name;
      finding.list = list.label;
      finding.location = PlaceOfRemoved(list, old);
      finding.message = "operator '" + op.name + "' left 'target' in list '" + list.label + "'";
      if (list.list->unlisted) {
        const Policy unlisted = list.list->runs_unlisted.value_or(*list.list->unlisted);
        finding.message += std::string("; unlisted operators are '") + PolicyName(unlisted) + "'";
      }
      const std::vector<std::string> others = StillTarget(index, op, list.list->device);
      const bool meant = others.empty() || SaysWhyRemoved(list, *before, op, old);
      finding.severity = meant ? Severity::kNote : Severity::kWarning;
      if (!others.empty()) {
        finding.message += ", but " + ListsText(others) +
                           (others.size() == 1 ? " still has it" : " still have it");
      }
    });
  }
}

}  // namespace

extern const Rule kRemovedFromTarget = {
    .name = "removed-from-target",
    .severity = Severity::kWarning,
    .summary = "the framework's own list lost a row under 'target'",
    .page = kRemovedFromTargetPage,
    .run = CheckRemovedFromTarget,
    .grades = true};

}  // namespace opledger
