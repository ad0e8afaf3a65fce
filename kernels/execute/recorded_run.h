// Runs a plan and keeps every value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/execute/execute.h"

namespace opledger {

// One tensor for each slot of the plan; without data if not computed. Valid as long as the plan's
// constants and the inputs.
using RecordedValues = std::vector<ConstantTensor>;

// Bytes needed for the values, beyond the executor's.
std::size_t RecordedBytes(const ExecutionPlan& plan);

// Like Executor::Run, but records the value of each slot.
RecordedValues RunAndRecord(Executor& executor, const std::vector<const void*>& inputs);

}  // namespace opledger
