// Plans nodes with inner graphs: If and loops. An inner graph is planned once, or once for each
// step of a loop whose shapes change, and runs on memory that the outer plan lends it. In: a node.
// Out: a step.
// May include: kernels/bindings, kernels/execute, kernels/kernel, kernels/machine, kernels/plan,
// kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bindings/control_flow.h"
#include "kernels/plan/plan.h"

namespace opledger {

// Prepares a node as a step, or returns a refusal with the reason.
Prepared PrepareControlFlow(const PlanRequest& outer_request, const ControlFlow& flow,
                            const OuterValues& outer);

}  // namespace opledger
