// How long models take (`opledger bench`). Each way of running one is a process of its own, which
// plans it and waits for orders (worker.h: ours; onnx_runtime.h); they run in turn, so that what
// else the machine does meets all of them. In: options, models, a file of many (suite.h). Out:
// times, ratios of them, bars met or missed (ratios.h), as text and JSON.
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
  std::string suite;                                          // a file; empty: `models`
  std::vector<std::string> dtypes = {"float16", "bfloat16"};  // run by lists, beside float32
  std::string list;                                           // a file; empty: the shipped ones
  std::string onnxruntime;     // a Python that has it; empty: it is not run
  std::string device = "cpu";  // as ChoiceFor takes it
  int threads = 1;             // 0: one for each processor
  int runs = 10;
  bool by_kernel = false;       // the text says where the time goes
  std::string format = "text";  // or "json", schemas/bench.schema.json
  std::string output;           // a file for it; empty: standard output
};

// One way of running a model.
struct Timing {
  std::string what;             // "float32", "float16 by list", "ONNX Runtime"
  std::string problem;          // not empty: it did not run
  std::string same_as_float32;  // not empty: it was not measured, since no node of it runs low: why
  std::vector<double> runs;     // seconds of one inference, of each round the median: CPU time,
  std::vector<double> elapsed;  // all threads'; and by the clock
  double plan = 0;              // CPU seconds from the file until it can run
  std::optional<double> memory;  // bytes at most, beyond those of the process at its start
  std::string on_cpu;  // what the CPU runs for a device that has no kernels for it; empty: nothing
  // Of one more run, step by step in its order: CPU seconds, on a device by the clock.
  struct TimedStep {
    double seconds = 0;
    RecordedStep step;
  };
  std::vector<TimedStep> steps;

  bool ran() const { return problem.empty() && same_as_float32.empty(); }
};
double Median(std::vector<double> all);
// The seconds of each kernel, the longest first; "Conv", or "Conv, vector" with its implementation.
enum class NamedBy : std::uint8_t { kKernel, kImplementation };
std::vector<std::pair<std::string, double>> SecondsByKernel(const Timing& timing, NamedBy by);

// CPU seconds that shapes cost in float32, the inputs' numbers aside.
struct ShapeCosts {
  double seen = 0;              // to find the plan of shapes that were run before
  std::optional<double> fresh;  // to plan other shapes, in a process that has run some
  std::optional<double> cold;   // to plan those in a process that has run none
};

struct MeasuredModel {
  std::string path;
  std::vector<Timing> timings;
  std::optional<ShapeCosts> shapes;  // of a suite

  const Timing* Find(const std::string& what) const;  // nullptr: it did not run
};

struct MeasuredFamily {
  std::string name;  // of a suite
  std::vector<MeasuredModel> models;
};

struct BenchReport {
  std::string device;
  std::string machine;      // its instruction sets
  std::string libraries;    // with their versions, and what they use of it
  std::string onnxruntime;  // its version; empty: it was not run
  int threads = 1;
  bool is_suite = false;
  std::vector<MeasuredFamily> families;  // without a suite: one
  std::vector<Bar> bars;
};

// How results are told. The first line is of the machine.
std::string MachineText(const BenchReport& report);
std::string BenchText(const BenchReport& report);
std::string SuiteText(const BenchReport& report);
std::string BenchJson(const BenchReport& report);

// 0: done; 1: a bar of the suite is missed; 2, with errors: some model could not be run in float32.
int Bench(const BenchOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
