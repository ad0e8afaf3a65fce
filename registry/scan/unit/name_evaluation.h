// Names that are not constants: evaluated by opledger-scan-ast (ast/main.cpp), a program beside
// this one, so that what makes it crash or hang does not stop the scan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger::scan {

struct EvaluatedName {
  bool whole = false;  // `values` are all there are
  std::vector<std::string> values;
  std::string why;      // not whole
  bool failed = false;  // for no reason in the sources: another time it may be otherwise
};

struct EvaluationLimits {
  double seconds = 0;  // of processor time; four times that by the clock
  int megabytes = 0;
};

// Starts the process that runs the evaluator for this one, which may then give up running programs.
// It ends with this one.
void StartEvaluator();

// For `records` records in `text` (token_recorder.h): what their names come to. `included`: other
// files include the unit.
std::vector<EvaluatedName> EvaluateNames(const std::string& text, std::size_t records,
                                         bool included, const EvaluationLimits& limits);

}  // namespace opledger::scan
