// Where the values of a plan for a device are, and how they get from one side to the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/plan/plan.h"

namespace opledger {

// Behind the choice of kernels. Puts every value on the side of the step that computes it, and a
// step that copies where the other side reads it: to the device right after the step, so that what
// the device does stays together; to the CPU right before it is read, so that the device works on
// as long as it can. A value is copied once, whoever reads it; inputs and constants never: each
// side has its own of those that it reads. Outputs end on the CPU.
void PutCopies(ExecutionPlan& plan);

// What the CPU runs for want of a kernel there.
struct CpuShare {
  std::size_t all = 0;     // nodes that the plan runs
  std::size_t on_cpu = 0;  // of them; of several steps of a node, one is enough
  std::string operators;   // of those: "2 TopK, NonZero"
  std::size_t copied = 0;  // bytes that are copied for them in each run
};
CpuShare CpuShareOf(const Graph& graph, const ExecutionPlan& plan);
// "3 of 9 nodes run on the CPU (2 TopK, NonZero), 1.5 KiB are copied ..."; empty: none does.
std::string CpuShareText(const CpuShare& share);

}  // namespace opledger
