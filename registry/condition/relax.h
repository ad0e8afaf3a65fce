// Makes a condition decidable by trying values: arithmetic over macros becomes an atom of its own.
//   A * 100 + B > 408 && A == 3  ->  "A * 100 + B" > 408 && A == 3
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/condition/tree.h"

namespace opledger {

// True wherever `tree` is, for some values of the new atoms. In the result macros and atoms stand
// only where their truth counts or where an integer is compared with them.
ConditionTree RelaxCondition(const ConditionTree& tree);

}  // namespace opledger
