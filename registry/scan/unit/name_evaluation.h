// Evaluates names that are not constants with opledger-scan-ast (ast/main.cpp). This is a separate
// program, so that sources that make it crash or hang do not stop the scan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger::scan {

struct EvaluatedName {
  bool whole = false;  // `values` is complete
  std::vector<std::string> values;
  std::string why;      // why it is not complete
  bool failed = false;  // the failure is not due to the sources and may not recur
};

struct EvaluationLimits {
  double seconds = 0;  // of processor time; at most four times that in real time
  int megabytes = 0;
};

// Starts the process that runs the evaluator for this one, which may then give up the right to run
// programs. The process ends with this one.
void StartEvaluator();

// Returns the values of the names of `records` records in `text` (token_recorder.h). `included`:
// other files include the unit.
std::vector<EvaluatedName> EvaluateNames(const std::string& text, std::size_t records,
                                         bool included, const EvaluationLimits& limits);

}  // namespace opledger::scan
