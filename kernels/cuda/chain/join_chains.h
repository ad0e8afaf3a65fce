// Element-wise steps that follow each other become one launch, which reads every operand once and
// writes the last result alone. Between two of them it rounds as storing would: the same bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/plan/execution_plan.h"

namespace opledger::cuda {

// Joins each chain of a plan with its only reader, where that is a chain of the same shape.
void JoinChains(ExecutionPlan& plan);

}  // namespace opledger::cuda
