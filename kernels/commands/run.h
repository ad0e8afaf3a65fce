// `opledger run`: a model on inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/model/model_inputs.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct RunOptions {
  std::string model;
  std::string params;  // of an MXNet model: a file; empty: none
  InputOptions inputs;
  std::string inputs_from;  // a folder of folders of NAME.npy, one for each run; empty: one run
  std::string output;       // the folder for NAME.npy; empty: they are summarised
  std::string kernels = "fast";  // or "reference"
  std::string device = "cpu";    // or "cuda", "cuda-only"
  bool trace = false;            // one line for each step
  std::string autocast;          // float16 or bfloat16; empty: as the model is
  std::string list;              // of autocast: a file; empty: the shipped one
  std::string plan;              // a recorded plan to follow; empty: the best kernels are chosen
  std::string write_plan;        // a file to record the plan in; empty: it is not
  std::string list_kernels;      // "text" or "json": no model is run; empty: one is
};

// 0: done, and `text` says what came out; 2, with errors: it could not be run.
int Run(const RunOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
