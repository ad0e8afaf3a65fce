// Passes over a plan that the reference kernels can run; each leaves one that computes the same,
// but for roundings in between.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/plan/plan.h"

namespace opledger {

// What a recorded plan says of the passes; where there is none they do all they can.
class RecordedChoices;

// Joins contractions with what alone reads them: batch normalisation, numbers for each channel,
// the addition of a tensor, an activation (kernels/kernel/fused_call.h).
void FuseContractions(ExecutionPlan& plan, const RecordedChoices* choices);

// Puts channels last in what convolutions read and write, and in what lies between them.
void PutChannelsLast(ExecutionPlan& plan, const RecordedChoices* choices);

// Joins each element-wise launch of a device with its only reader, where that is another of the
// same shape.
void JoinLaunches(ExecutionPlan& plan);

}  // namespace opledger
