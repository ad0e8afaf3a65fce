// Preprocessor arithmetic on 64-bit integers, signed unless one operand is unsigned. There is no
// undefined behavior: signed overflow wraps, as in GCC and Clang.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "registry/condition/tree.h"

namespace opledger {

// Returns nullopt for a division by zero.
std::optional<ConditionInteger> ApplyBinary(ConditionOperator op, ConditionInteger left,
                                            ConditionInteger right);
ConditionInteger ApplyUnary(ConditionOperator op, ConditionInteger operand);

}  // namespace opledger
