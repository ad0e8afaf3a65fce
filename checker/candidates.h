// What the manifest knows of an unclassified operator, and which policies that leaves.
//   "2 inputs (lhs, rhs), type inference ElemwiseType<2, 1>: 'widest' or 'fp32'"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/manifest.h"

namespace opledger {

// One line for a note; empty where the manifest says nothing of use.
std::string DescribeCandidates(const Operator& op);

}  // namespace opledger
