// Decides which findings count, from severities, ignore rules, suppressions in the source and the
// baseline.
// May include: checker/findings, checker/index, checker/rules, registry/json, registry/project,
// registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checker/filter/baseline.h"
#include "checker/filter/severities.h"
#include "checker/index/index.h"

namespace opledger {

struct FilteredFindings {
  std::vector<Finding> counted;   // in the order of the rules' findings
  std::vector<Finding> silenced;  // by an ignore rule, a suppression or the baseline
  int off = 0;                    // number of findings whose rule is off or not selected
  // Places that the scan could not read, whatever the rule's severity, without silenced ones.
  int incomplete = 0;
};

// Divides the findings of RunRules(). Findings of rules that are off are dropped and only counted.
FilteredFindings FilterFindings(std::vector<Finding> all, const Severities& severities,
                                const CheckIndex& index, const Baseline& baseline);

}  // namespace opledger
