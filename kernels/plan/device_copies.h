// Copies between the CPU and the device in a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/plan/plan.h"

namespace opledger {

// Inserts copies after kernels were chosen. Every value is on the side of the step that computes
// it. A value is copied to the device right after that step, so that steps of the device stay
// together, and to the CPU right before it is read, so that the device keeps working meanwhile.
// Each value is copied at most once. Inputs and constants are not copied: each side has those that
// it reads. Outputs end on the CPU.
void PutCopies(ExecutionPlan& plan);

// The nodes that run on the CPU since the device has no kernel for them.
struct CpuShare {
  std::size_t all = 0;     // nodes in the plan
  std::size_t on_cpu = 0;  // nodes with at least one step on the CPU
  std::string operators;   // their operators: "2 TopK, NonZero"
  std::size_t copied = 0;  // bytes copied for them in each run
};
CpuShare CpuShareOf(const Graph& graph, const ExecutionPlan& plan);
// "3 of 9 nodes run on the CPU (2 TopK, NonZero), 1.5 KiB are copied ...". Empty if none does.
std::string CpuShareText(const CpuShare& share);

}  // namespace opledger
