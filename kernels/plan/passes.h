// The passes of planning (their table is in passes.cpp). Each takes a plan that the reference
// kernels can run, and leaves one that computes the same, apart from roundings in between.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/plan/plan.h"
#include "kernels/plan/plan_replay.h"

namespace opledger {

// The state that passes share.
struct PlanContext {
  const PlanRequest& request;
  ExecutionPlan& plan;
  Status& problem;  // why a pass fails
  // The recorded plan of this graph. If there is none, passes do all they can.
  const RecordedGraph* recorded = nullptr;
  std::optional<RecordedChoices> choices = {};
  // Disables widening, fusion and channels last, since no kernel served a step that resulted from
  // them.
  bool is_plain = false;
  bool must_be_plain = false;  // a pass failed for that reason: plan the graph again with is_plain
};

// Runs all passes in order. Returns false and sets `problem` if one fails.
bool RunPasses(PlanContext& context);

// Fuses contractions with their only readers: batch normalization, operands with one value per
// channel, the addition of a tensor, an activation (kernels/kernel/fused_call.h).
void FuseContractions(ExecutionPlan& plan, const RecordedChoices* choices);

// Moves channels last in the inputs and outputs of convolutions, and in values between them.
void PutChannelsLast(ExecutionPlan& plan, const RecordedChoices* choices);

// Returns whether a step rounds float32 elements to values of a 16-bit type.
bool IsRounding(const PlannedStep& step);

// Returns whether all elements of a step's result are elements of its inputs.
bool GivesNumbersOfInputs(const PlannedStep& step);

// Keeps 16-bit values in float32 where the CPU only multiplies float32.
void WidenValues(ExecutionPlan& plan);

// Joins each element-wise step with its only reader if that is an element-wise step of the same
// shape.
void JoinLaunches(ExecutionPlan& plan);

// Assigns an offset to every value in the arena and to each step's workspace, largest first. Values
// whose lifetimes overlap do not overlap in memory.
void PlaceInArena(ExecutionPlan& plan);

}  // namespace opledger
