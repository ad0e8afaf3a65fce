// near-miss-name: an entry misspells an operator without an entry. Reported as one finding instead
// of stale-entry and unclassified-operator, because it is one mistake.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/edit.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kNearMissNamePage[] =
    R"(An entry names no operator, but differs by one or two letters, or by case,
from an operator that has no policy: it is misspelled, and the operator is not
protected.

Why: the list reads as if the operator were classified. The framework, which
compares names letter by letter, does not see it.

Example:
  registered: relu, softmax
  list: {"framework": "demo", "target_dtype": "float16",
         "fp32": ["sofmax"], "widest": ["relu"]}
  finding: entry 'sofmax' of list 'float16' names no registered operator, and 'softmax' has no policy

What to do: correct the name. If both are right (the operator is new and the
entry is old), remove the entry and classify the operator.
)";

void CheckNearMissName(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    for (const NearMiss& miss : list.near_misses) {
      const ListEntry& entry = *miss.use->entry;
      Finding& finding = findings.emplace_back();
      finding.op = miss.op->name;
      finding.list = list.label;
      finding.location = entry.location;
      finding.message = "entry '" + entry.op + "' of list '" + list.label +
                        "' names no registered operator, and '" + miss.meant + "' has no policy";
      if (!miss.op->sites.empty()) {
        finding.related.push_back(
            {miss.op->sites.front().location, "'" + miss.op->name + "' is registered here"});
      }
      if (std::optional<Edit> edit = RenameEntry(*list.list, entry, miss.meant)) {
        finding.suggestions.push_back({"", {std::move(*edit)}});
      }
    }
  }
}

}  // namespace

extern const Rule kNearMissName = {"near-miss-name", Severity::kError,
                                   "an entry misspells an operator that has no policy",
                                   kNearMissNamePage, CheckNearMissName};

}  // namespace opledger
