// Plans a single run whose shapes depend on its values: the values that a node has to know are
// computed by a plan of their own, and the rest is planned with them.
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

// Runs a stage's plan on these inputs, and may read its results.
using RunStage = std::function<void(Executor& stage, const std::vector<const void*>& inputs)>;

// Like MakeExecutionPlan, which is tried first. If it needs values that are known only at run time,
// computes them on the CPU, even for a plan for a device; with KernelChoice::only_device it returns
// the problem instead. `in_stages`, if not nullptr, is set to whether the plan is valid only for
// the values in `inputs`.
std::optional<ExecutionPlan> MakeStagedPlan(PlanRequest request, const ModelInputs& inputs,
                                            Status& problem, bool* in_stages = nullptr,
                                            const RunStage& run = {});

}  // namespace opledger
