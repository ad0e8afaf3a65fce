// What is wrong with the numbers that a step was given, which shows only as it runs: an index
// outside of its tensor. A step goes on, in bounds; who runs it asks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/machine/status.h"

namespace opledger {

// Of this thread: "index 7 is outside of a dimension of 4", with its node in an inner graph, none
// being that of the step. The first stays until it is taken.
void ReportStepProblem(Status problem);
void ReportOutside(std::int64_t index, std::int64_t size);
bool HasStepProblem();
Status TakeStepProblem();

}  // namespace opledger
