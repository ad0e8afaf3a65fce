// `opledger run`. In: command-line options (main.cpp). Out: the text to print, and files.
// May include: kernels/execute, kernels/kernel, kernels/machine, kernels/model,
// kernels/plan, kernels/tensor, registry/*.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernels/machine/run_limits.h"
#include "kernels/model/autocast_options.h"
#include "kernels/model/model_inputs.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct RunOptions {
  std::string model;
  std::string params;  // .params file of an MXNet model; empty: none
  InputOptions inputs;
  std::string output;                             // folder for NAME.npy; empty: print summaries
  std::string kernels = "fast";                   // or "reference"
  std::string device = "cpu";                     // as ChoiceFor takes it
  bool trace = false;                             // print one line for each step
  int threads = -1;                               // 0: one for each processor; -1: not given
  std::int64_t max_trips = RunLimits::kMaxTrips;  // for all loops together
  std::optional<double> seconds;                  // for the whole run; nullopt: no limit
  AutocastOptions autocast;
  std::string plan;        // a recorded plan to replay; empty: choose the best kernels
  std::string write_plan;  // file to record the plan in; empty: none
  bool trace_passes = false;
  std::string write_passes;  // folder for the plan after each pass; empty: none
  std::string list_kernels;  // "text", "json", "summary": list kernels; empty: run a model
};

// Returns the exit status: 0, with the results in `text`; 2, with errors, if the model could not be
// run; 128 + the signal after SIGINT or SIGTERM.
int Run(const RunOptions& options, std::string& text, Diagnostics& diagnostics);

// "opledger-run 1.2.3, oneDNN 2.6.3 (avx512_core_amx), on avx2 avx512, no CUDA"
std::string ProgramVersion();

}  // namespace opledger
