// Passes over a plan that the reference kernels can run; each leaves one that computes the same,
// but for roundings in between.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/execution_plan.h"

namespace opledger {

// Joins contractions with what alone reads them: batch normalisation, numbers for each channel,
// the addition of a tensor, an activation (kernels/fused_call.h).
void FuseContractions(ExecutionPlan& plan);

// Puts channels last in what convolutions read and write, and in what lies between them.
void PutChannelsLast(ExecutionPlan& plan);

}  // namespace opledger
