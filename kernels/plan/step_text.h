// Formats plans for readers: the implementation of each node, the nodes fused into it, and why
// preferred implementations refused.
//   conv: Conv (cpu, vector, channels last)
//     fused: bias, act
//     oneDNN refused: its window is long and has one channel, ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernels/plan/plan.h"
#include "kernels/plan/recorded_plan.h"

namespace opledger {

// Returns the text of a step and the steps of its inner graphs; each line starts with `indent`.
// `refusal`: that of PlannedStep.
std::string StepText(const RecordedStep& step, const std::string& refusal = {},
                     const std::string& indent = {});

// Returns one line for each node that has inputs but no step in the plan, with the reason:
//   shape: no kernel: its result is known before the model runs
std::string NodesWithoutSteps(const Graph& graph, const ExecutionPlan& plan);

// Returns the name of a slot: that of its value in the graph; for another version or an element of
// a list, one derived from it; "an intermediate value" between kernels of one node.
std::string SlotName(const Graph& graph, const ExecutionPlan& plan, ValueId value);

// Steps whose preferred implementations refused: one line for each kernel and reason.
//   Conv: oneDNN refused 3 steps (a, b, c): its window is long
std::string RefusalsText(const std::vector<RecordedStep>& steps);

}  // namespace opledger
