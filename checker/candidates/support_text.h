// Describes the evidence for a policy in words.
//   "6 of 7 operators with 'exp' in their names"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/candidates/rank.h"

namespace opledger {

// `policy` is the one that the evidence supports.
std::string SupportText(const FeatureTerm& term, Policy policy, const Support& support,
                        const ClassifiedList& list);

}  // namespace opledger
