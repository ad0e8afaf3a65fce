// Preprocessor arithmetic: 64-bit integers, signed unless one operand is unsigned. Never undefined
// behaviour: signed overflow wraps, as GCC and Clang do it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "registry/condition/tree.h"

namespace opledger {

// None for a division by zero.
std::optional<ConditionInteger> ApplyBinary(ConditionOperator op, ConditionInteger left,
                                            ConditionInteger right);
ConditionInteger ApplyUnary(ConditionOperator op, ConditionInteger operand);

}  // namespace opledger
