// removed-from-target: since the revision compared with, the framework's own list lost a row that
// let an operator run in 16 bits.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/removed_entries.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kRemovedFromTargetPage[] =
    R"(Since the revision that --against names, an operator lost its row under 'target' in
a list that the framework keeps itself, and has no other. Without --against this rule
finds nothing.

Why: models run slower, which nobody may have meant.

Example:
  registered: conv2d, relu
  policy: relu (widest)
  policy before: conv2d (target)
  before: {"framework": "demo", "target_dtype": "float16", "unlisted": "either", "derived_from": [{"registrations": "policy"}]}
  list: {"framework": "demo", "target_dtype": "float16", "unlisted": "either",
         "derived_from": [{"registrations": "policy"}]}
  finding: operator 'conv2d' left 'target' in list 'float16'; unlisted is 'either'

What to do: nothing if it was meant.
)";

void CheckRemovedFromTarget(const CheckIndex& index, std::vector<Finding>& findings) {
  if (index.before() == nullptr) return;
  for (const ListIndex& list : index.lists()) {
    const ListIndex* const before = FindList(*index.before(), list.label);
    if (before == nullptr || !list.list->whole) continue;
    ForEachRemoved(index, list, *before, [&](const Operator& op, const ListEntry& old) {
      if (old.policy != Policy::kTarget || old.source.empty()) return;
      Finding& finding = findings.emplace_back();
      finding.op = op.name;
      finding.list = list.label;
      finding.location = PlaceOfRemoved(list, old);
      finding.message = "operator '" + op.name + "' left 'target' in list '" + list.label + "'";
      if (list.list->unlisted) {
        const Policy unlisted = list.list->runs_unlisted.value_or(*list.list->unlisted);
        finding.message += std::string("; unlisted is '") + PolicyName(unlisted) + "'";
      }
    });
  }
}

}  // namespace

extern const Rule kRemovedFromTarget = {"removed-from-target", Severity::kNote,
                                        "the framework's own list lost a row under 'target'",
                                        kRemovedFromTargetPage, CheckRemovedFromTarget};

}  // namespace opledger
