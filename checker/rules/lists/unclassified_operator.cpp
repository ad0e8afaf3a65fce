// unclassified-operator: an operator has no policy in a list.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checker/rules/rules.h"
#include "registry/condition/python_test.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr char kUnclassifiedOperatorPage[] =
    R"(An operator has no policy in a precision list, so it is not decided whether it
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
Operators are checked in the list's configuration. One that does not exist there
needs no policy; one that depends on a macro that the configuration does not
define does. Operators that the dialect exempts never need one. If the list says
"unlisted": POLICY, only operators that are new since the revision of --against do.
)";

ConditionAnswer Exists(const Site& site, const ListIndex& list) {
  if (list.known) return site.condition.AnswerIn(*list.known, site.location.path);
  return site.condition.CanBeTrue() ? ConditionAnswer::kTrue : ConditionAnswer::kFalse;
}

// Returns the first site that exists in the list's configuration, otherwise the first that may.
const Site& FirstSite(const Operator& op, const ListIndex& list) {
  static const Site kNowhere;
  const Site* first = op.sites.empty() ? &kNowhere : &op.sites.front();
  for (ConditionAnswer wanted : {ConditionAnswer::kOpen, ConditionAnswer::kTrue}) {
    const auto found = std::find_if(op.sites.begin(), op.sites.end(),
                                    [&](const Site& site) { return Exists(site, list) == wanted; });
    if (found != op.sites.end()) first = &*found;
  }
  return *first;
}

// Notes that the configuration does not decide whether the operator exists, and how to decide it.
Related OpenCondition(const Site& site, const ListIndex& list) {
  const std::set<std::string> names = site.condition.OpenIn(*list.known, site.location.path);
  const std::string& first = *names.begin();
  const std::string why = "it exists only if " + site.condition.text() + ", and configuration '" +
                          list.configuration + "' does not set " + Join(names, ", ");
  const std::string test = PythonTestText(first);
  const std::string macro = "\"" + first + "\": \"1\" or \"undefined\": [\"" + first + "\"]";
  return {
      site.location,
      why + ": add " + (test.empty() ? macro : "\"python\": {\"" + test + "\": true}") + " to it"};
}

// Notes where to add a row in the framework's own lists: in the one for float32, which is always
// correct, otherwise in the first one.
void AddSourceNote(const ListIndex& list, Finding& finding) {
  const std::vector<SourceList>& lists = list.list->source_lists;
  if (lists.empty()) return;
  const auto fp32 = std::find_if(lists.begin(), lists.end(), [](const SourceList& each) {
    return each.policy == Policy::kFp32;
  });
  const SourceList& place = fp32 != lists.end() ? *fp32 : lists.front();
  finding.related.push_back(
      {place.location, "a row would go here for '" + std::string(PolicyName(place.policy)) + "'"});
}

// Notes the source code that would give the operator a rule.
void AddRuleNote(const Operator& op, const ListIndex& list, Finding& finding) {
  constexpr std::string_view kName = "{name}";
  std::string text = list.list->rule_text;
  const std::size_t at = text.find(kName);
  if (at == std::string::npos) return;
  text.replace(at, kName.size(), op.name);
  finding.related.push_back(
      {finding.location,
       "to run it in " + std::string(DtypeName(list.list->target_dtype)) + ": " + text});
}

void Report(const Operator& op, const ListIndex& list, Finding& finding) {
  const Site& site = FirstSite(op, list);
  finding.op = op.name;
  finding.list = list.label;
  finding.location = site.location;
  finding.message = "operator '" + op.name + "' has no policy in list '" + list.label + "'";
  AddSourceNote(list, finding);
  AddRuleNote(op, list, finding);
  if (!list.known || Exists(site, list) != ConditionAnswer::kOpen) return;
  finding.related.push_back(OpenCondition(site, list));
}

// AddCandidates() adds the evidence for policies to the findings that are shown.
void CheckUnclassifiedOperator(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    for (const Operator* op : list.unclassified) {
      if (index.NeedsEntry(*op, list)) Report(*op, list, findings.emplace_back());
    }
  }
}

}  // namespace

extern const Rule kUnclassifiedOperator = {"unclassified-operator", Severity::kError,
                                           "an operator has no policy in a list",
                                           kUnclassifiedOperatorPage, CheckUnclassifiedOperator};

}  // namespace opledger
