// The manifest's facts about an operator that has no policy yet, in one line.
//   "2 inputs (lhs, rhs), type inference ElemwiseType<2, 1>"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/manifest/manifest.h"

namespace opledger {

// Empty where the manifest says nothing of use.
std::string DescribeOperator(const Operator& op);

}  // namespace opledger
