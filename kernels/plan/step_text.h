// What a plan does, for readers: which implementation computes each node, which nodes it computes
// besides, and why preferred implementations refused.
//   conv: Conv (cpu, vector, channels last)
//     fused: bias, act
//     oneDNN refused: its window is long, of one channel, for which there is code for each tap
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernels/plan/plan.h"
#include "kernels/plan/recorded_plan.h"

namespace opledger {

// A step, and the steps of the graphs that it runs; each line begins with `indent`. `refusal`: of
// PlannedStep.
std::string StepText(const RecordedStep& step, const std::string& refusal = {},
                     const std::string& indent = {});

// One line for each node of the graph that has inputs and no step in the plan, and why:
//   shape: no kernel: its result is known before the model runs
std::string NodesWithoutSteps(const Graph& graph, const ExecutionPlan& plan);

// What a slot is called: as a value of the graph; if it is another version of one or an element of
// a list, by that; "an intermediate value" if it lies between the kernels of one node.
std::string SlotName(const Graph& graph, const ExecutionPlan& plan, ValueId value);

// Steps whose preferred implementations refused, grouped: one line for each kernel and reason.
//   Conv: oneDNN refused 3 steps (a, b, c): its window is long
std::string RefusalsText(const std::vector<RecordedStep>& steps);

}  // namespace opledger
