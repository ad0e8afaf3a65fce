// From what the rules find to what a check says: severities, ignore rules, suppressions in the
// source, the baseline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checker/filter/baseline.h"
#include "checker/filter/severities.h"
#include "checker/index/index.h"

namespace opledger {

struct JudgedFindings {
  std::vector<Finding> counted;   // in their order
  std::vector<Finding> silenced;  // by an ignore rule, a suppression or the baseline
  int incomplete = 0;  // places the scan could not read, whatever the rule's severity; silenced
                       // ones do not count
};

// `all` is what RunRules gives. Findings of rules that are off are in neither part.
JudgedFindings Judge(const std::vector<Finding>& all, const Severities& severities,
                     const CheckIndex& index, const Baseline& baseline);

}  // namespace opledger
