// hidden-findings: settings, baseline or comments of a change hide findings.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kHiddenFindingsPage[] =
    R"(The settings, baseline or suppression comments of the revision that --against names
report findings in today's files that today's do not: a change hides its own
findings. There is one finding for each setting or comment, at its place, and none
if the revision has no project file. Without --against this rule finds nothing.

Why: a check is useless if the change that it should stop can turn it off. Reviewers
seldom notice what a line of a settings file does.

Example:
  hidden: in the baseline
  finding: 1 finding that 'main' would report is in the baseline

What to do: fix the hidden findings. If they should stay hidden, allow that outside
of the change: `opledger check --severity hidden-findings=note` in this one run
of continuous integration. Settings and comments of the change itself do not
silence this rule. `--policy-from REV` takes all settings from the revision.
)";

// checker/git finds these, because rules see only one of the two states.
void FindNothing(const CheckIndex& /*index*/, std::vector<Finding>& /*findings*/) {}

}  // namespace

extern const Rule kHiddenFindings = {"hidden-findings", Severity::kError,
                                     "a change hides findings by settings, baseline or comments",
                                     kHiddenFindingsPage, FindNothing};

}  // namespace opledger
