// What is wrong with the numbers that a step was given, which shows only as it runs: an index
// outside of its tensor. A step goes on, in bounds; who runs it asks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace opledger {

struct StepProblem {
  std::string text;        // "index 7 is outside of a dimension of 4"; empty: none
  std::int32_t node = -1;  // in an inner graph: which; -1: that of the step
};

// Of this thread. The first stays until it is taken.
void ReportStepProblem(StepProblem problem);
void ReportOutside(std::int64_t index, std::int64_t size);
bool HasStepProblem();
StepProblem TakeStepProblem();

}  // namespace opledger
