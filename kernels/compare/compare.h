// `opledger compare` and `opledger tune`: what a model in less precision gives, held against
// float64. In: one model or two, inputs. Out: errors of outputs and nodes; a list of nodes to keep
// in float32.
// May include: kernels/execute, kernels/kernel, kernels/machine, kernels/model, kernels/plan,
// kernels/tensor, registry/*.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/compare/comparison.h"
#include "kernels/model/autocast_options.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct CompareOptions {
  std::string first;          // the float32 model
  std::string params;         // of MXNet: its parameters; empty: none
  std::string second;         // what was made of it; empty: itself, run by a list
  std::string second_params;  // of MXNet
  AutocastOptions autocast;   // of no type: there is a second model
  InputOptions inputs = {{}, {}, true};
  std::string kernels = "fast";     // or "reference"
  std::optional<double> max_error;  // of every output, as a part of its largest number
  int worst = 10;                   // how many nodes the text shows; 0: all
  std::string format = "text";      // or "json", schemas/comparison.schema.json
  std::string output;               // a file for it; empty: standard output
  std::optional<double> seconds;    // for all of it; none: as long as it takes
  bool verifies = false;            // what `opledger convert --verify` has just written
};

// 0: done; 1: an output is farther off than max_error; 2, with errors: they could not be compared;
// 128 + a signal: so, by Ctrl-C or SIGTERM.
int Compare(const CompareOptions& options, std::string& text, Diagnostics& diagnostics);

// How results are told.
std::string ComparisonText(const Comparison& comparison, const CompareOptions& options);
std::string ComparisonJson(const Comparison& comparison, const CompareOptions& options);

}  // namespace opledger
