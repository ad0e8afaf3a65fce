// A plan for the numbers of one run, where shapes depend on them: what a node has to know is
// computed by a plan of its own, and the rest is planned with it.
//   NonMaxSuppression(boxes, scores) -> indices: how many there are
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernels/execute/execute.h"
#include "kernels/model/model_inputs.h"
#include "kernels/plan/plan.h"

namespace opledger {

// Runs a stage's plan on these inputs, and may look at what it computes.
using RunStage = std::function<void(Executor& stage, const std::vector<const void*>& inputs)>;

// As MakeExecutionPlan, where that gives a plan. What has to be known is computed on the CPU, also
// in a plan for a device; not if the device has to run all: then what is in the way stays so.
// `in_stages`, where it is asked for: whether the plan holds for the numbers of `inputs` alone.
std::optional<ExecutionPlan> MakeStagedPlan(PlanRequest request, const ModelInputs& inputs,
                                            Status& problem, bool* in_stages = nullptr,
                                            const RunStage& run = {});

}  // namespace opledger
