// suppression-problem: a suppression comment is wrong, expired or unused.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "checker/findings/suppression.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kSuppressionProblemPage[] =
    R"(A comment "opledger-ignore(RULE): REASON" in the source has no reason, names no
rule, is past its last day, or silences nothing.

Why: a suppression that outlives its finding hides the next one at that line.
Without a reason it is not known whether it can be removed.

Example:
  registered: exp
  source: // opledger-ignore(unclassified-operator): new
  list: {"framework": "demo", "target_dtype": "float16", "fp32": ["exp"]}
  finding: this suppression of 'unclassified-operator' silences nothing

What to do: add what is missing, extend it by "[until YYYY-MM-DD]", or remove it;
`opledger check --fix` removes those that silence nothing. A comment applies to
its own line or, on a line of its own, to the next line of code.
)";

std::string Quoted(const std::vector<std::string>& rules) {
  std::string text;
  for (const std::string& rule : rules) text += (text.empty() ? "'" : ", '") + rule + "'";
  return text;
}

// Returns whether all its rules ran. A rule that is off by default may not have.
bool CanBeJudged(const Suppression& suppression) {
  return std::none_of(suppression.rules.begin(), suppression.rules.end(),
                      [](const std::string& name) {
                        const Rule* rule = FindRule(name);
                        return rule == nullptr || rule->off;
                      });
}

std::string ProblemOf(const CheckIndex& index, const Suppression& suppression, bool used) {
  if (!suppression.problem.empty()) return "this suppression has no effect: " + suppression.problem;
  if (suppression.EndedOn(index.today())) {
    return "this suppression of " + Quoted(suppression.rules) + " ended on " + suppression.until;
  }
  if (used || !CanBeJudged(suppression)) return {};
  return "this suppression of " + Quoted(suppression.rules) + " silences nothing";
}

void CheckSuppressionProblem(const CheckIndex& index, std::vector<Finding>& findings) {
  std::set<const Suppression*> used;
  for (const Finding& finding : findings) {
    for (const Suppression* const each : index.SuppressionsOf(finding)) used.insert(each);
  }
  for (const Suppression& suppression : index.suppressions()) {
    if (suppression.of_others) continue;
    std::string problem = ProblemOf(index, suppression, used.contains(&suppression));
    if (problem.empty()) continue;
    const bool unused = problem.ends_with("silences nothing");
    Finding& finding = findings.emplace_back();
    finding.message = std::move(problem);
    finding.location = suppression.location;
    const Span bytes = suppression.bytes;
    if (!unused || bytes.size() == 0 || !index.manifest().IsWhole()) continue;
    finding.suggestions = {
        {"", {{suppression.location.path, bytes.begin, bytes.size(), ""}}, true}};
  }
}

}  // namespace

extern const Rule kSuppressionProblem = {"suppression-problem", Severity::kWarning,
                                         "a suppression comment is wrong, expired or unused",
                                         kSuppressionProblemPage, CheckSuppressionProblem};

}  // namespace opledger
