// `opledger run` and `opledger bench`. In: options of the command line (main.cpp). Out: the text to
// print, and files.
// May include: kernels/compare, kernels/cuda/chain, kernels/execute, kernels/kernel,
// kernels/machine, kernels/model, kernels/plan, kernels/tensor, registry/*.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/machine/run_limits.h"
#include "kernels/model/model_inputs.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct RunOptions {
  std::string model;
  std::string params;  // of an MXNet model: a file; empty: none
  InputOptions inputs;
  std::string output;            // the folder for NAME.npy; empty: they are summarised
  std::string kernels = "fast";  // or "reference"
  std::string device = "cpu";    // or "cuda", "cuda-only"
  bool trace = false;            // one line for each step
  int threads = -1;              // 0: one for each processor; -1: nobody has said
  std::int64_t max_trips = RunLimits::kMaxTrips;  // of all loops together
  std::optional<double> seconds;                  // for the whole run; none: as long as it takes
  std::string autocast;                           // float16 or bfloat16; empty: as the model is
  std::string list;                               // of autocast: a file; empty: the shipped one
  std::string plan;          // a recorded plan to follow; empty: the best kernels are chosen
  std::string write_plan;    // a file to record the plan in; empty: it is not
  std::string list_kernels;  // "text" or "json": no model is run; empty: one is
};

// 0: done, and `text` says what came out; 2, with errors: it could not be run; 130: so, by Ctrl-C.
int Run(const RunOptions& options, std::string& text, Diagnostics& diagnostics);

struct BenchOptions {
  std::vector<std::string> models;
  std::string params;  // of an MXNet model
  InputOptions inputs = {{}, {}, true};
  std::vector<std::string> dtypes = {"float16", "bfloat16"};  // run by lists, beside float32
  std::string list;                                           // a file; empty: the shipped ones
  std::string onnxruntime;     // a Python that has it; empty: it is not run
  std::string device = "cpu";  // or "cuda", "cuda-only"
  int threads = 1;             // 0: one for each processor
  int runs = 10;
  bool by_kernel = false;       // the text says where the time goes
  std::string format = "text";  // or "json", schemas/bench.schema.json
  std::string output;           // a file for it; empty: standard output
};

// Seconds of one run, the median of all, and CPU seconds of everything before the first run.
struct Timing {
  std::string what;             // "float32", "float16 by list", "ONNX Runtime"
  std::string problem;          // not empty: it did not run
  std::string same_as_float32;  // not empty: it was not measured, since no node of it runs low: why
  double run = 0;               // of CPU time, all threads'
  double elapsed = 0;           // by the clock
  double plan = 0;
  std::string on_cpu;  // what the CPU runs for a device that has no kernels for it; empty: nothing
  // Of one more run, the longest first: CPU seconds, on a device by the clock.
  std::vector<std::pair<std::string, double>> kernels;
};

// A model by ONNX Runtime in the Python `python`; none, with why.
std::optional<Timing> TimeOnnxRuntime(const std::string& python, const std::string& model,
                                      const ModelInputs& inputs, const BenchOptions& options,
                                      std::string& problem);

struct BenchReport {
  std::string device;
  std::string machine;    // its instruction sets
  std::string libraries;  // with their versions, and what they use of it
  int threads = 1;
  struct Model {
    std::string path;
    std::vector<Timing> timings;
  };
  std::vector<Model> models;
};

// How results are told.
std::string BenchText(const BenchReport& report);
std::string BenchJson(const BenchReport& report);

// 0: done; 2, with errors: some model could not be run in float32.
int Bench(const BenchOptions& options, std::string& text, Diagnostics& diagnostics);

// "opledger-run 0.1.0, oneDNN 2.6.3 (avx512_core_amx), on avx2 avx512, no CUDA module"
std::string ProgramVersion();

}  // namespace opledger
