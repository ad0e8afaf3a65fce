// Loops as steps of a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/control_flow/control_flow.h"

namespace opledger {

// One plan for all steps: shapes stay as they are from step to step.
Prepared PrepareLoop(const PlanRequest& request, const ControlFlow& flow, const OuterValues& outer);

// A plan for each step, in which it is known how many were before, and whatever else follows from
// what is known of the first; steps that are given the same shapes share one where it serves them.
// How many steps there are has to be known.
Prepared PrepareUnrolledLoop(const PlanRequest& request, const ControlFlow& flow,
                             const OuterValues& outer);

}  // namespace opledger
