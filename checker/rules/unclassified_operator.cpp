// unclassified-operator: an operator that a list gives no policy.
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "checker/candidates.h"
#include "checker/check_index.h"
#include "checker/shell_quote.h"
#include "checker/siblings.h"

namespace opledger {
namespace {

constexpr char kPage[] =
    R"(An operator has no policy in a precision list, so nobody has decided whether it
may run in 16 bits.

Why: what a framework does with an unlisted operator is an accident, not a
choice: it may lose accuracy silently, or cost casts that nobody wanted. The
author of the operator knows the answer on the day it is written.

Example:
  registered: exp, log
  list: {"framework": "demo", "target_dtype": "float16", "fp32": ["log"]}
  finding: operator 'exp' has no policy in list 'float16'

What to do: classify it, by `opledger classify NAME --as POLICY` or by hand.
The report ends with guidelines that help to choose. Operators are judged in
the list's configuration: one that does not exist there needs no policy. Those
that the dialect exempts (gradients, say) never need one.
)";

const Location& FirstSite(const Operator& op, const ListIndex& list) {
  static const Location kNowhere;
  for (const Site& site : op.sites) {
    const bool holds = list.defines != nullptr ? site.condition.Evaluate(*list.defines)
                                               : site.condition.CanBeTrue();
    if (holds) return site.location;
  }
  return op.sites.empty() ? kNowhere : op.sites.front().location;
}

// Ready to be run; the policy is the sibling's, or left to fill in.
std::string ClassifyCommand(const Operator& op, const ListIndex& list, const EntryUse* sibling) {
  std::string policy = "POLICY";
  std::string reason;
  if (sibling != nullptr && sibling->entry->policy != Policy::kConditional) {
    policy = PolicyName(sibling->entry->policy);
    if (!sibling->entry->reason.empty()) reason = " --reason " + sibling->entry->reason;
  }
  const std::optional<std::string> name = ShellQuote(op.name);
  const std::optional<std::string> reference = ShellQuote(list.reference);
  if (!name || !reference) return {};
  return "opledger classify " + *name + " --as " + policy + " --list " + *reference + reason;
}

void Report(const Operator& op, const ListIndex& list, const Siblings& siblings, Finding& finding) {
  finding.op = op.name;
  finding.list = list.label;
  finding.location = FirstSite(op, list);
  finding.message = "operator '" + op.name + "' has no policy in list '" + list.label + "'";
  const EntryUse* sibling = siblings.Nearest(op.name);
  if (sibling != nullptr) {
    const ListEntry& entry = *sibling->entry;
    finding.related.push_back({entry.location, "its nearest sibling, '" + entry.op +
                                                   "', stands under '" + PolicyName(entry.policy) +
                                                   "'"});
  }
  const std::string candidates = DescribeCandidates(op);
  if (!candidates.empty()) finding.related.push_back({finding.location, candidates});
  std::string command = ClassifyCommand(op, list, sibling);
  if (!command.empty()) finding.suggestions.push_back({std::move(command), {}});
}

void Run(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    if (list.unclassified.empty()) continue;
    const Siblings siblings(list);
    for (const Operator* op : list.unclassified) {
      Report(*op, list, siblings, findings.emplace_back());
    }
  }
}

}  // namespace

extern const Rule kUnclassifiedOperator = {"unclassified-operator", Severity::kError,
                                           "an operator has no policy in a list", kPage, Run};

}  // namespace opledger
