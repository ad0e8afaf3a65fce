// A flag is checked after each step; the text is made only on errors.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel/step_problem.h"

#include <utility>

namespace opledger {
namespace {

thread_local bool reported = false;

Status& First() {
  thread_local Status problem;
  return problem;
}

}  // namespace

void ReportStepProblem(Status problem) {
  if (reported) return;
  First() = std::move(problem);
  reported = true;
}

void ReportOutside(std::int64_t index, std::int64_t size) {
  if (reported) return;
  ReportStepProblem("index " + std::to_string(index) + " is outside of a dimension of " +
                    std::to_string(size));
}

bool HasStepProblem() { return reported; }

Status TakeStepProblem() {
  reported = false;
  return std::exchange(First(), {});
}

}  // namespace opledger
