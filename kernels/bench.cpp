// Every way in turn, in one process but ONNX Runtime's; CPU time, since machines are shared.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench.h"

#include <algorithm>
#include <map>

#include "kernels/cpu_time.h"
#include "kernels/executor.h"
#include "kernels/instruction_set.h"
#include "kernels/parallel.h"
#include "kernels/runnable_model.h"
#include "registry/file_write.h"

namespace opledger {
namespace {

double Median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

// The kernels' shares of one more run.
void TimeKernels(Executor& executor, const std::vector<const void*>& inputs, Timing& timing) {
  std::map<std::string, double> seconds;
  double last = ProcessSeconds();
  executor.Run(inputs, [&](const PlannedStep& step) {
    const double now = ProcessSeconds();
    seconds[std::string(step.kernel->name())] += now - last;
    last = now;
  });
  timing.kernels.assign(seconds.begin(), seconds.end());
  std::stable_sort(timing.kernels.begin(), timing.kernels.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

// The plan of a model on its inputs, and its runs; `dtype`: by a list, or empty.
std::optional<Timing> TimeModel(const std::string& path, const std::string& dtype,
                                const BenchOptions& options, Diagnostics& diagnostics) {
  auto model = OpenRunnable(path, options.params, options.inputs, diagnostics);
  if (!model) return std::nullopt;
  std::optional<Autocast> autocast;
  if (!dtype.empty()) autocast = AutocastOf(*model, dtype, options.list, diagnostics);
  if (!dtype.empty() && !autocast) return std::nullopt;
  const Binding binding = Bind(*model);
  const auto inputs = TakeInputs(*model, options.inputs, diagnostics);
  if (!inputs) return std::nullopt;
  PlanRequest request{&model->graph(), &binding, {}, {}, autocast ? &*autocast : nullptr, {}};
  inputs->Describe(request);
  const double start = ProcessSeconds();
  std::string problem;
  auto plan = MakeExecutionPlan(request, problem);
  Timing timing;
  timing.plan = ProcessSeconds() - start;
  if (!plan) {
    diagnostics.Error({.path = path}, problem);
    return std::nullopt;
  }
  Executor executor(std::move(*plan));
  const auto data = inputs->For(executor.plan(), model->graph());
  executor.Run(data);
  std::vector<double> runs;
  for (int run = 0; run < std::max(1, options.runs); ++run) {
    const double begin = ProcessSeconds();
    executor.Run(data);
    runs.push_back(ProcessSeconds() - begin);
  }
  timing.run = Median(std::move(runs));
  if (options.by_kernel) TimeKernels(executor, data, timing);
  return timing;
}

// On the inputs that a run here takes.
Timing TimePeer(const std::string& path, const BenchOptions& options) {
  Timing timing;
  Diagnostics own;
  auto model = OpenRunnable(path, options.params, options.inputs, own);
  if (!model || !model->onnx) {
    timing.problem = "it runs ONNX models";
    return timing;
  }
  const auto inputs = TakeInputs(*model, options.inputs, own);
  if (!inputs) return timing;  // the next run says why
  auto peer = TimeOnnxRuntime(options.onnxruntime, path, *inputs, options, timing.problem);
  return peer ? std::move(*peer) : timing;
}

std::optional<std::vector<Timing>> TimeAll(const std::string& path, const BenchOptions& options,
                                           Diagnostics& diagnostics) {
  std::vector<Timing> timings;
  if (!options.onnxruntime.empty()) {
    timings.push_back(TimePeer(path, options));
    timings.back().what = "ONNX Runtime";
  }
  auto whole = TimeModel(path, {}, options, diagnostics);
  if (!whole) return std::nullopt;
  whole->what = "float32";
  timings.push_back(std::move(*whole));
  for (const std::string& dtype : options.dtypes) {
    Diagnostics own;
    auto timing = TimeModel(path, dtype, options, own);
    if (!timing) {
      timing.emplace().problem = own.all().empty() ? "it did not run" : own.all()[0].message;
    }
    timing->what = dtype + " by list";
    timings.push_back(std::move(*timing));
  }
  return timings;
}

}  // namespace

int Bench(const BenchOptions& options, std::string& text, Diagnostics& diagnostics) {
  SetThreads(options.threads);
  BenchReport report;
  report.machine = InstructionSets();
  report.threads = static_cast<int>(Threads());
  bool all = true;
  for (const std::string& model : options.models) {
    auto timings = TimeAll(model, options, diagnostics);
    all = all && timings.has_value();
    if (timings) report.models.push_back({model, std::move(*timings)});
  }
  text = options.format == "json" ? BenchJson(report) : BenchText(report);
  if (!options.output.empty()) {
    if (!WriteFile(options.output, text, diagnostics)) return 2;
    text.clear();
  }
  return all ? 0 : 2;
}

}  // namespace opledger
