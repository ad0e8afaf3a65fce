// The passes of planning (their table is in passes.cpp). In: a plan that the reference kernels can
// run. Each leaves one that computes the same, but for roundings in between.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/plan/plan.h"
#include "kernels/plan/plan_replay.h"

namespace opledger {

// What the passes work on.
struct PlanContext {
  const PlanRequest& request;
  ExecutionPlan& plan;
  Status& problem;  // why a pass fails
  // What a recorded plan says; where there is none the passes do all they can.
  const RecordedGraph* recorded = nullptr;
  std::optional<RecordedChoices> choices = {};
  // Values are not widened, steps not fused, channels not put last: no kernel took what came of it.
  bool is_plain = false;
  bool must_be_plain = false;  // a pass failed for that reason: the graph is to be planned again
};

// All of them, in order. False, with a problem.
bool RunPasses(PlanContext& context);

// Joins contractions with what alone reads them: batch normalisation, numbers for each channel,
// the addition of a tensor, an activation (kernels/kernel/fused_call.h).
void FuseContractions(ExecutionPlan& plan, const RecordedChoices* choices);

// Puts channels last in what convolutions read and write, and in what lies between them.
void PutChannelsLast(ExecutionPlan& plan, const RecordedChoices* choices);

// Whether a step rounds float32 numbers to those of a 16-bit type.
bool IsRounding(const PlannedStep& step);

// Whether all numbers of a step's result are numbers of its inputs.
bool GivesNumbersOfInputs(const PlannedStep& step);

// Keeps 16-bit values as float32 numbers where the CPU multiplies no others.
void WidenValues(ExecutionPlan& plan);

// Joins each element-wise step with its only reader, where that is another of the same shape.
void JoinLaunches(ExecutionPlan& plan);

// Gives every value of the arena a place that none it lives beside has, largest first; and every
// step its workspace.
void PlaceInArena(ExecutionPlan& plan);

}  // namespace opledger
