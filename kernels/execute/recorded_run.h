// A run of which every value is kept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/execute/execute.h"

namespace opledger {

// Of each slot of the plan; without data: not computed. Lasts no longer than the plan's constants
// and the inputs.
using RecordedValues = std::vector<ConstantTensor>;

// As much memory as that takes, besides the executor's.
std::size_t RecordedBytes(const ExecutionPlan& plan);

// As Executor::Run.
RecordedValues RunAndRecord(Executor& executor, const std::vector<const void*>& inputs);

}  // namespace opledger
