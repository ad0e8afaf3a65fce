// Describes an operator without a policy in one line, from the manifest.
//   "2 inputs (lhs, rhs), type inference ElemwiseType<2, 1>"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/manifest/manifest.h"

namespace opledger {

// Returns an empty string if the manifest has neither inputs nor type inference for the operator.
std::string DescribeOperator(const Operator& op);

}  // namespace opledger
