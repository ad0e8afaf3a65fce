// Loops as steps of a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/control_flow/inner_graph.h"

namespace opledger {

// One plan for all steps: shapes stay as they are from step to step.
Prepared PrepareLoop(const PlanRequest& request, const ControlFlow& flow, const OuterValues& outer);

// How many steps a loop takes, `most` at most, by running what its body's condition is computed
// from: counters and bounds that are known before the loop runs, of which no float32 number is
// computed from another. `type_of`: what the body is given. None: that is not known.
std::optional<std::int64_t> CountSteps(const PlanRequest& request, const ControlFlow& flow,
                                       const OuterValues& outer, const TypeOfSource& type_of,
                                       std::optional<std::int64_t> most);

// A plan for each step, in which it is known how many were before, and whatever else follows from
// what is known of the first; steps that are given the same shapes share one where it serves them.
// How many steps there are has to be known.
Prepared PrepareUnrolledLoop(const PlanRequest& request, const ControlFlow& flow,
                             const OuterValues& outer);

}  // namespace opledger
