// Every variant in turn, in one process but ONNX Runtime's; CPU time, since machines are shared.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "kernels/commands/commands.h"
#include "kernels/cuda/chain/loader.h"
#include "kernels/execute/execute.h"
#include "kernels/machine/cpu_time.h"
#include "kernels/machine/machine.h"
#include "kernels/machine/parallel.h"
#include "kernels/model/files_read.h"
#include "kernels/model/model.h"
#include "kernels/plan/device_copies.h"
#include "registry/platform/files.h"

namespace opledger {
namespace {

double Median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

// The kernels' shares of one more run.
void TimeKernels(Executor& executor, const std::vector<const void*>& inputs, double (*seconds)(),
                 Timing& timing) {
  std::map<std::string, double> of_kernel;
  double last = seconds();
  executor.Run(
      inputs,
      [&](const PlannedStep& step) {
        const double now = seconds();
        of_kernel[std::string(step.kernel->name())] += now - last;
        last = now;
      },
      Executor::Looks::kAtTheClock);
  timing.kernels.assign(of_kernel.begin(), of_kernel.end());
  std::stable_sort(timing.kernels.begin(), timing.kernels.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

// The first run, and the second, which a device records, are left out.
Timing TimeRuns(Executor& executor, const std::vector<const void*>& inputs,
                const BenchOptions& options) {
  for (int i = 0; i < 2; ++i) executor.Run(inputs);
  Timing timing;
  std::vector<double> runs;
  std::vector<double> elapsed;
  for (int run = 0; run < std::max(1, options.runs); ++run) {
    const double begin = ProcessSeconds();
    const double begun = ClockSeconds();
    executor.Run(inputs);
    elapsed.push_back(ClockSeconds() - begun);
    runs.push_back(ProcessSeconds() - begin);
  }
  timing.run = Median(std::move(runs));
  timing.elapsed = Median(std::move(elapsed));
  if (options.by_kernel) {
    TimeKernels(executor, inputs, options.device == "cpu" ? &ProcessSeconds : &ClockSeconds,
                timing);
  }
  return timing;
}

// The plan of a model on its inputs, and its runs; `dtype`: by a list, or empty. `device`: nullptr
// for the CPU.
std::optional<Timing> TimeModel(const std::string& path, const std::string& dtype,
                                const BenchOptions& options, const Device* device,
                                Diagnostics& diagnostics) {
  auto model = OpenRunnable(path, options.params, options.inputs, diagnostics);
  if (!model) return std::nullopt;
  std::optional<Autocast> autocast;
  if (!dtype.empty()) autocast = AutocastOf(*model, dtype, options.list, diagnostics);
  if (!dtype.empty() && !autocast) return std::nullopt;
  if (autocast && !autocast->changes_nothing.empty()) {
    Timing none;
    none.same_as_float32 = autocast->changes_nothing;
    return none;
  }
  const Binding binding = Bind(*model);
  const auto inputs = TakeInputs(*model, options.inputs, diagnostics);
  if (!inputs) return std::nullopt;
  PlanRequest request{&model->graph(), &binding, {}, ChoiceFor(options.device), nullptr, {}};
  if (autocast) request.autocast = &*autocast;
  inputs->Describe(request);
  const double start = ProcessSeconds();
  Refusal problem;
  auto plan = MakeExecutionPlan(request, problem);
  const double planned = ProcessSeconds() - start;
  if (!plan) {
    diagnostics.Error({.path = path}, problem.text);
    return std::nullopt;
  }
  std::string on_cpu = CpuShareText(CpuShareOf(model->graph(), *plan));
  Executor executor =
      device == nullptr ? Executor(std::move(*plan)) : Executor(std::move(*plan), *device);
  Timing timing = TimeRuns(executor, inputs->For(executor.plan(), model->graph()), options);
  timing.plan = planned;
  timing.on_cpu = std::move(on_cpu);
  if (executor.problem().empty()) return timing;
  diagnostics.Error({.path = path}, executor.ProblemText(model->graph()));
  return std::nullopt;
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
                                           const Device* device, Diagnostics& diagnostics) {
  std::vector<Timing> timings;
  if (!options.onnxruntime.empty()) {
    timings.push_back(TimePeer(path, options));
    timings.back().what = "ONNX Runtime";
  }
  auto whole = TimeModel(path, {}, options, device, diagnostics);
  if (!whole) return std::nullopt;
  whole->what = "float32";
  timings.push_back(std::move(*whole));
  for (const std::string& dtype : options.dtypes) {
    Diagnostics own;
    auto timing = TimeModel(path, dtype, options, device, own);
    if (!timing) {
      timing.emplace().problem = own.all().empty()
                                     ? "it did not run"
                                     : own.all()[0].location.path + ": " + own.all()[0].message;
    }
    timing->what = dtype + " by list";
    timings.push_back(std::move(*timing));
  }
  return timings;
}

// The output is none of the files that are read.
bool CheckOutput(const BenchOptions& options, Diagnostics& diagnostics) {
  if (options.output.empty()) return true;
  FilesInUse files;
  for (const std::string& path : options.models) {
    Diagnostics unused;  // who runs it says the same
    const auto model = OpenRunnable(path, options.params, options.inputs, unused);
    if (!model) continue;
    const FilesInUse more = FilesRead(*model, options.params, options.inputs, options.list);
    files.read.insert(files.read.end(), more.read.begin(), more.read.end());
  }
  files.read.insert(files.read.end(), options.models.begin(), options.models.end());
  return CheckOutputFiles(files, {{"-o", options.output}}, diagnostics);
}

}  // namespace

int Bench(const BenchOptions& options, std::string& text, Diagnostics& diagnostics) {
  if (!CheckOutput(options, diagnostics)) return 2;
  SetThreads(options.threads);
  const Device* device = nullptr;
  if (options.device != "cpu") {
    std::string problem;
    std::string remedy;
    device = cuda::OpenDevice(problem, remedy);
    if (device == nullptr) {
      diagnostics.Error({}, problem, remedy);
      return 2;
    }
  }
  BenchReport report;
  report.device = ChoiceFor(options.device).device;
  report.machine = InstructionSets();
  report.libraries = Libraries();
  report.threads = static_cast<int>(Threads());
  bool all = true;
  for (const std::string& model : options.models) {
    auto timings = TimeAll(model, options, device, diagnostics);
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
