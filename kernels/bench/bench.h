// Measures how long models take (`opledger bench`). Each way of running one is a process of its
// own, which plans it and waits for requests (worker.h: ours; onnx_runtime.h); they take turns, so
// that other load on the machine affects all of them. In: options, models, or a suite file
// (suite.h). Out: times, their ratios, bars met or missed (ratios.h), as text and JSON.
// May include: kernels/compare, kernels/execute, kernels/machine, kernels/model, kernels/plan,
// kernels/tensor, registry/files, registry/json, registry/platform, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/bench/suite.h"
#include "kernels/model/model_inputs.h"
#include "kernels/plan/recorded_plan.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct BenchOptions {
  std::vector<std::string> models;
  std::string params;  // of an MXNet model
  InputOptions inputs = {{}, {}, true};
  std::string suite;                                          // a suite file; empty: use `models`
  std::vector<std::string> dtypes = {"float16", "bfloat16"};  // run by lists
  std::string list;                                           // a file; empty: the shipped ones
  std::string onnxruntime;     // a Python program that has it; empty: not run
  std::string device = "cpu";  // as ChoiceFor takes it
  int threads = 1;             // 0: one for each processor
  int runs = 10;
  bool by_kernel = false;       // whether the text shows the time of each kernel
  std::string format = "text";  // or "json", schemas/bench.schema.json
  std::string output;           // file for the report; empty: standard output
};

// One way of running a model.
struct Timing {
  std::string what;             // "float32", "float16 by list", "ONNX Runtime"
  std::string problem;          // not empty: why it did not run
  std::string same_as_float32;  // not empty: why no node runs low; not measured
  std::vector<double> runs;  // CPU seconds of one inference, all threads: the median of each round
  std::vector<double> elapsed;   // elapsed seconds, likewise
  double plan = 0;               // CPU seconds from the file until it can run
  std::optional<double> memory;  // peak bytes, beyond those at the start of the process
  std::string on_cpu;  // nodes that the CPU runs because the device has no kernels; empty if none
  // One more run, step by step: CPU seconds, or elapsed seconds on a device.
  struct TimedStep {
    double seconds = 0;
    RecordedStep step;
  };
  std::vector<TimedStep> steps;

  bool ran() const { return problem.empty() && same_as_float32.empty(); }
};
double Median(std::vector<double> all);
// Seconds of each kernel, longest first; named "Conv", or "Conv, vector" by implementation.
enum class NamedBy : std::uint8_t { kKernel, kImplementation };
std::vector<std::pair<std::string, double>> SecondsByKernel(const Timing& timing, NamedBy by);

// CPU seconds that changing input shapes costs in float32, without generating the inputs.
struct ShapeCosts {
  double seen = 0;              // finding the plan of shapes seen before
  std::optional<double> fresh;  // planning new shapes, in a process that has run others
  std::optional<double> cold;   // planning them in a process that has run none
};

struct MeasuredModel {
  std::string path;
  std::vector<Timing> timings;
  std::optional<ShapeCosts> shapes;  // only in a suite

  const Timing* Find(const std::string& what) const;  // nullptr if it did not run
};

struct MeasuredFamily {
  std::string name;  // only in a suite
  std::vector<MeasuredModel> models;
};

struct BenchReport {
  std::string device;
  std::string machine;      // instruction sets
  std::string libraries;    // with versions and the instruction sets they use
  std::string onnxruntime;  // its version; empty: not run
  int threads = 1;
  bool is_suite = false;
  std::vector<MeasuredFamily> families;  // a single one without a suite
  std::vector<Bar> bars;
};

// Formats of results. MachineText is the first line, about the machine.
std::string MachineText(const BenchReport& report);
std::string BenchText(const BenchReport& report);
std::string SuiteText(const BenchReport& report);
std::string BenchJson(const BenchReport& report);

// Returns the exit status: 0 done, 1 a bar of the suite is missed, 2, with errors, a model could
// not be run in float32.
int Bench(const BenchOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
