// Which findings count: all that the rules find, severities, ignore rules, suppressions in the
// source and the baseline -> those that count and those that are silenced.
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
  std::vector<Finding> counted;   // in their order
  std::vector<Finding> silenced;  // by an ignore rule, a suppression or the baseline
  int off = 0;                    // of rules that are off, or not selected
  int incomplete = 0;  // places the scan could not read, whatever the rule's severity; silenced
                       // ones do not count
};

// `all` is what RunRules gives. Findings of rules that are off are in neither part.
FilteredFindings FilterFindings(std::vector<Finding> all, const Severities& severities,
                                const CheckIndex& index, const Baseline& baseline);

}  // namespace opledger
