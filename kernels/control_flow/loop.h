// Plans loops as steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/control_flow/inner_graph.h"

namespace opledger {

// Uses one plan for all steps: shapes do not change from step to step.
Prepared PrepareLoop(const PlanRequest& request, const ControlFlow& flow, const OuterValues& outer);

// Counts a loop's steps, up to `most`, by running the part of its body that computes its
// condition: counters and bounds known before the loop runs, and no float32 computed from another.
// `type_of`: the types of the body's inputs. Returns nullopt if the number of steps is not known.
std::optional<std::int64_t> CountSteps(const PlanRequest& request, const ControlFlow& flow,
                                       const OuterValues& outer, const TypeOfSource& type_of,
                                       std::optional<std::int64_t> most);

// Makes a plan for each step. The number of the step, and everything computed from known initial
// values, are constants of it. Steps with the same shapes share a plan if possible. Refuses the
// loop if the number of steps is not known.
Prepared PrepareUnrolledLoop(const PlanRequest& request, const ControlFlow& flow,
                             const OuterValues& outer);

}  // namespace opledger
