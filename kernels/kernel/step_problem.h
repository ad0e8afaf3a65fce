// Errors in a step's data that appear only at run time: an index outside of its tensor. The step
// continues within bounds; whoever runs it checks for a problem.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/machine/status.h"

namespace opledger {

// Problems of this thread: "index 7 is outside of a dimension of 4"; `node` is set for nodes of an
// inner graph, and -1 for the step itself. The first problem is kept until it is taken.
void ReportStepProblem(Status problem);
void ReportOutside(std::int64_t index, std::int64_t size);
bool HasStepProblem();
Status TakeStepProblem();

}  // namespace opledger
