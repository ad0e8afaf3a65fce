// `opledger tune`: which nodes of a model have to stay in float32, found by running it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernels/model/autocast_options.h"
#include "kernels/model/model_inputs.h"

namespace opledger {

struct TuneOptions {
  std::string model;
  std::string params;                               // of MXNet: its parameters; empty: none
  AutocastOptions autocast = {.dtype = "float16"};  // to begin with
  InputOptions inputs = {{}, {}, true};
  double max_error = 0;           // of every output, as a part of its largest number
  std::optional<double> seconds;  // after which the best that was found is taken
  bool beyond_list = false;       // nodes that the list keeps in float32 may run low, too
  std::string kernels = "fast";   // or "reference"
  std::string output;             // the list for `convert --list`
  std::string format = "text";    // or "json", schemas/tuning.schema.json
};

// 0: done, the list is written, though the search was stopped; 1: no set of nodes is enough, and
// `text` says how near they come; 2, with errors: it could not be run; 3: stopped before anything
// was measured, the list that is written keeps all nodes.
int TuneModel(const TuneOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
