// `opledger tune`: finds the nodes of a model that have to stay in float32, by running it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernels/model/autocast_options.h"
#include "kernels/model/model_inputs.h"

namespace opledger {

struct TuneOptions {
  std::string model;
  std::string params;                               // .params file of an MXNet model; empty: none
  AutocastOptions autocast = {.dtype = "float16"};  // to start with
  InputOptions inputs = {{}, {}, true};
  double max_error = 0;           // limit for every output, relative to its largest element
  std::optional<double> seconds;  // time budget; the best result so far is used
  bool beyond_list = false;       // allow nodes to run low that the list keeps in float32
  std::string kernels = "fast";   // or "reference"
  std::string output;             // the list for `convert --list`
  std::string format = "text";    // or "json", schemas/tuning.schema.json
};

// Returns the exit status: 0 if the list was written, even if the search was stopped; 1 if no set
// of nodes is enough (`text` has the errors); 2, with errors, if the model could not be run; 3 if
// the search was stopped before anything was measured (the written list keeps all nodes).
int TuneModel(const TuneOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
