// unclassified-operator: an operator that a list gives no policy.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kUnclassifiedOperatorPage[] =
    R"(An operator has no policy in a precision list, so nobody has decided whether it
may run in 16 bits.

Why: what a framework does with an unlisted operator is an accident, not a
choice: it may lose accuracy silently, or cost needless casts. The author of the
operator knows the answer when writing it.

Example:
  registered: exp, log
  list: {"framework": "demo", "target_dtype": "float16", "fp32": ["log"]}
  finding: operator 'exp' has no policy in list 'float16'

What to do: classify it, by `opledger classify NAME --as POLICY` or by hand.
The report shows the policies of similar operators, and ends with guidelines;
`opledger explain NAME` shows the evidence for each policy. The author decides.
Operators are checked in the list's configuration: one that does not exist there
needs no policy. Those that the dialect exempts (such as gradients) never do.
)";

const Location& FirstSite(const Operator& op, const ListIndex& list) {
  static const Location kNowhere;
  for (const Site& site : op.sites) {
    const bool holds = list.defines != nullptr
                           ? site.condition.MayHoldIn(*list.defines, site.location.path)
                           : site.condition.CanBeTrue();
    if (holds) return site.location;
  }
  return op.sites.empty() ? kNowhere : op.sites.front().location;
}

void Report(const Operator& op, const ListIndex& list, Finding& finding) {
  finding.op = op.name;
  finding.list = list.label;
  finding.location = FirstSite(op, list);
  finding.message = "operator '" + op.name + "' has no policy in list '" + list.label + "'";
}

// What speaks for which policy is added to the findings that are shown: AddCandidates().
void CheckUnclassifiedOperator(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    for (const Operator* op : list.unclassified) Report(*op, list, findings.emplace_back());
  }
}

}  // namespace

extern const Rule kUnclassifiedOperator = {"unclassified-operator", Severity::kError,
                                           "an operator has no policy in a list",
                                           kUnclassifiedOperatorPage, CheckUnclassifiedOperator};

}  // namespace opledger
