// `opledger compare` and `opledger tune`: compare a model in lower precision with float64. In: one
// model or two, inputs. Out: errors of outputs and nodes; a list of nodes to keep in float32.
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
  std::string params;         // .params file of an MXNet model; empty: none
  std::string second;         // the converted model; empty: the first one, run by a list
  std::string second_params;  // .params file of an MXNet model
  AutocastOptions autocast;   // without dtype if there is a second model
  InputOptions inputs = {{}, {}, true};
  std::string kernels = "fast";     // or "reference"
  std::optional<double> max_error;  // limit for every output, relative to its largest element
  int worst = 10;                   // number of nodes in the text; 0: all
  std::string format = "text";      // or "json", schemas/comparison.schema.json
  std::string output;               // file for the report; empty: standard output
  std::optional<double> seconds;    // time limit for everything; nullopt: none
  bool verifies = false;  // called by `opledger convert --verify`, which has just written `second`
};

// Returns the exit status: 0 done; 1 an output's error exceeds max_error; 2, with errors, they
// could not be compared; 128 + the signal, on Ctrl-C or SIGTERM.
int Compare(const CompareOptions& options, std::string& text, Diagnostics& diagnostics);

// Formats of results.
std::string ComparisonText(const Comparison& comparison, const CompareOptions& options);
std::string ComparisonJson(const Comparison& comparison, const CompareOptions& options);

}  // namespace opledger
