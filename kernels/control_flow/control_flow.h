// Nodes that run graphs of their own: a choice of two, a loop over one. Their inner graphs are
// planned once, or for each step of a loop whose shapes change, on memory that the outer plan lends
// them.
// May include: kernels/bindings, kernels/execute, kernels/kernel, kernels/machine, kernels/plan,
// kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bindings/control_flow.h"
#include "kernels/plan/plan.h"

namespace opledger {

// Prepares a node as a step. A refusal gives the reason.
Prepared PrepareControlFlow(const PlanRequest& outer_request, const ControlFlow& flow,
                            const OuterValues& outer);

}  // namespace opledger
