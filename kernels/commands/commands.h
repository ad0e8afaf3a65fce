// `opledger run`. In: options of the command line (main.cpp). Out: the text to print, and files.
// May include: kernels/execute, kernels/kernel, kernels/machine, kernels/model,
// kernels/plan, kernels/tensor, registry/*.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/machine/run_limits.h"
#include "kernels/model/autocast_options.h"
#include "kernels/model/model_inputs.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct RunOptions {
  std::string model;
  std::string params;  // of an MXNet model: a file; empty: none
  InputOptions inputs;
  std::string output;            // the folder for NAME.npy; empty: they are summarised
  std::string kernels = "fast";  // or "reference"
  std::string device = "cpu";    // as ChoiceFor takes it
  bool trace = false;            // one line for each step
  int threads = -1;              // 0: one for each processor; -1: nobody has said
  std::int64_t max_trips = RunLimits::kMaxTrips;  // of all loops together
  std::optional<double> seconds;                  // for the whole run; none: as long as it takes
  AutocastOptions autocast;
  std::string plan;        // a recorded plan to follow; empty: the best kernels are chosen
  std::string write_plan;  // a file to record the plan in; empty: it is not
  bool trace_passes = false;
  std::string write_passes;  // a folder for the plan after each pass; empty: it is not written
  std::string list_kernels;  // "text", "json", "summary": no model is run; empty: one is
};

// 0: done, and `text` says what came out; 2, with errors: it could not be run; 130: so, by Ctrl-C.
int Run(const RunOptions& options, std::string& text, Diagnostics& diagnostics);

// "opledger-run 0.1.0, oneDNN 2.6.3 (avx512_core_amx), on avx2 avx512, no CUDA"
std::string ProgramVersion();

}  // namespace opledger
