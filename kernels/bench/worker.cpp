// Uses the same plans and the same executor as `opledger run`.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench/worker.h"

#include <cstdio>
#include <sstream>

#include "kernels/bench/bench.h"
#include "kernels/execute/execute.h"
#include "kernels/machine/backend.h"
#include "kernels/machine/cpu_time.h"
#include "kernels/machine/parallel.h"
#include "kernels/machine/peak_memory.h"
#include "kernels/machine/replies.h"
#include "kernels/model/model.h"
#include "kernels/model/plan_cache.h"
#include "kernels/model/quantised_products.h"
#include "kernels/model/staged_plan.h"
#include "kernels/plan/device_copies.h"
#include "kernels/plan/recorded_plan.h"
#include "registry/json/json_write.h"
#include "registry/platform/input_lines.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

constexpr double kMinSeconds = 5e-3;  // minimum total time of the runs whose median is reported
constexpr int kLooks = 101;           // lookups of a plan

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

class BenchProcess {
 public:
  explicit BenchProcess(const WorkerOptions& options) : options_(options) {}

  // Returns false if it fails; the reply says why.
  bool Open();
  // Returns false if it fails; the reply says why.
  bool Answer(const std::string& request, int runs);

 private:
  bool Fail(const std::string& why) {
    SendReply("problem " + Printable(why));
    return false;
  }
  bool Fail() {
    const Diagnostic& first = diagnostics_.all()[0];
    const std::string path = first.location.path;
    return Fail(path.empty() ? first.message : path + ": " + first.message);
  }
  bool ReadModel();
  bool Plan();
  bool Run();
  bool TimeRuns(int runs);
  bool TimeKernels();
  bool TimeShapes();

  const WorkerOptions& options_;
  std::optional<std::size_t> memory_at_start_ = BeginPeakMemory();
  Diagnostics diagnostics_;
  std::optional<RunnableModel> model_;
  std::optional<Autocast> autocast_;
  Binding binding_;
  std::optional<ModelInputs> inputs_;
  PlanRequest request_{};
  std::optional<Executor> executor_;
  std::vector<const void*> data_;  // the inputs as the executor takes them
};

bool BenchProcess::ReadModel() {
  model_ =
      OpenRunnable(options_.model.path, options_.model.params, options_.model.inputs, diagnostics_);
  if (!model_) return Fail();
  if (!options_.autocast.dtype.empty()) {
    if (!RaiseOpsetFor(*model_, options_.autocast, diagnostics_)) return Fail();
    autocast_ = AutocastOf(*model_, options_.autocast, diagnostics_);
    if (!autocast_) return Fail();
    if (!autocast_->changes_nothing.empty()) {
      SendReply("same " + Printable(autocast_->changes_nothing));
      return false;
    }
  }
  if (options_.device == "cpu") MultiplyBytes(*model_, autocast_ ? &*autocast_ : nullptr);
  binding_ = Bind(*model_);
  return true;
}

bool BenchProcess::Plan() {
  const Device* device = nullptr;
  if (options_.device != "cpu") {
    Status why;
    const KernelChoice choice = ChoiceFor(options_.device);
    device = OpenDevice(choice.device, choice.device_number, why);
    if (device == nullptr) return Fail(why.message);
  }
  PlanRequest request = request_;
  inputs_->Describe(request);
  Status problem;
  auto plan = MakeStagedPlan(request, *inputs_, problem);
  if (!plan) return Fail(StatusText(model_->graph(), problem));
  if (device == nullptr) {
    executor_.emplace(std::move(*plan));
  } else {
    executor_.emplace(std::move(*plan), *device);
  }
  return true;
}

bool BenchProcess::Open() {
  SetThreads(options_.threads);
  const double begin = ProcessSeconds();
  if (!ReadModel()) return false;
  const double opened = ProcessSeconds();
  inputs_ = TakeInputs(*model_, options_.model.inputs, diagnostics_);
  if (!inputs_) return Fail();
  const double taken = ProcessSeconds();
  request_ = PlanRequest{&model_->graph(), &binding_, {}, ChoiceFor(options_.device), nullptr, {}};
  if (autocast_) request_.autocast = &*autocast_;
  if (!Plan()) return false;
  const double planned = ProcessSeconds() - taken;
  data_ = inputs_->For(executor_->plan(), model_->graph());
  for (int i = 0; i < 2; ++i) {  // a device captures the second run
    if (!Run()) return false;
  }
  return SendReply("ready " + Number(opened - begin) + " " + Number(planned) + " " +
                   CpuShareText(CpuShareOf(model_->graph(), executor_->plan())));
}

bool BenchProcess::Run() {
  executor_->Run(data_);
  return executor_->status().ok() || Fail(executor_->ProblemText(model_->graph()));
}

bool BenchProcess::TimeRuns(int runs) {
  if (!Run()) return false;  // warm up: other processes ran meanwhile
  std::vector<double> cpu;
  std::vector<double> elapsed;
  const double start = ProcessSeconds();
  for (int run = 0; run < runs || ProcessSeconds() - start < kMinSeconds; ++run) {
    const double begin = ProcessSeconds();
    const double begun = ClockSeconds();
    executor_->Run(data_);
    elapsed.push_back(ClockSeconds() - begun);
    cpu.push_back(ProcessSeconds() - begin);
    if (options_.device != "cpu" && run >= runs) break;  // a device leaves the CPU idle
  }
  return SendReply("ran " + Number(Median(std::move(cpu))) + " " +
                   Number(Median(std::move(elapsed))));
}

// Times each step in one more run, with a plan made for it: the measured plan does not record which
// kernels refused.
bool BenchProcess::TimeKernels() {
  double (*const seconds)() = options_.device == "cpu" ? &ProcessSeconds : &ClockSeconds;
  RecordedPlan shown;
  request_.shown = &shown;
  executor_.reset();
  const bool is_planned = Plan();
  request_.shown = nullptr;
  if (!is_planned) return false;
  data_ = inputs_->For(executor_->plan(), model_->graph());
  if (!Run()) return false;
  std::vector<double> times;
  times.reserve(executor_->plan().steps.size());
  double last = seconds();
  executor_->Run(
      data_,
      [&](const PlannedStep&) {
        const double now = seconds();
        times.push_back(now - last);
        last = seconds();
      },
      Executor::Looks::kAtTheClock);
  const ExecutionPlan& plan = executor_->plan();
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::string line = Number(times[i]) + " ";
    JsonWriter json(line);
    WriteRecordedStep(RecordStep(model_->graph(), plan, plan.steps[i], request_.choice.device),
                      json);
    if (!SendReply(line)) return false;
  }
  return SendReply("end");
}

bool BenchProcess::TimeShapes() {
  PlanCache plans(request_, nullptr);
  Status problem;
  const auto find = [&](const ModelInputs& inputs) -> std::optional<double> {
    const double begin = ThreadSeconds();
    const Executor* executor = plans.For(inputs, problem);
    if (executor == nullptr) return std::nullopt;
    const std::vector<const void*> data = inputs.For(executor->plan(), model_->graph());
    return ThreadSeconds() - begin;
  };
  if (!find(*inputs_)) return Fail(StatusText(model_->graph(), problem));
  std::vector<double> looks;
  for (int i = 0; i < kLooks; ++i) looks.push_back(find(*inputs_).value_or(0));
  std::string fresh = "-";
  if (!options_.model.new_shapes.empty()) {
    InputOptions others = options_.model.inputs;
    others.shapes = options_.model.new_shapes;
    const auto inputs = TakeInputs(*model_, others, diagnostics_);
    if (!inputs) return Fail();
    const auto took = find(*inputs);
    if (!took) return Fail(StatusText(model_->graph(), problem));
    fresh = Number(*took);
  }
  return SendReply("shapes " + Number(Median(std::move(looks))) + " " + fresh);
}

bool BenchProcess::Answer(const std::string& request, int runs) {
  if (request == "run") return TimeRuns(runs);
  if (request == "shapes") return TimeShapes();
  if (request == "kernels") return TimeKernels();
  const auto memory = PeakMemory();
  return SendReply("memory " + (memory && memory_at_start_
                                    ? std::to_string(*memory - *memory_at_start_)
                                    : std::string("-")));
}

}  // namespace

int BenchWorker(const WorkerOptions& options, std::string&, Diagnostics&) {
  SendReply("");
  BenchProcess process(options);
  if (!process.Open()) return 0;
  InputLines requests;
  while (const auto line = requests.Next()) {
    std::istringstream words(*line);
    std::string request;
    int runs = 0;
    words >> request >> runs;
    if (!process.Answer(request, runs)) return 0;
  }
  return 0;
}

ChildProcess StartWorker(const WorkerOptions& options) {
  const BenchModel& model = options.model;
  std::vector<std::string> arguments = {"--bench-worker", "--device", options.device, "--threads",
                                        std::to_string(options.threads)};
  const auto say = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.push_back(std::string(option) + "=" + value);
  };
  const auto say_each = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) say(option, value);
  };
  say("--params", model.params);
  const AutocastOptions& autocast = options.autocast;
  say("--autocast", autocast.dtype);
  say("--list", autocast.dtype.empty() ? std::string() : autocast.list);
  say("--memory-limit", model.inputs.memory_limit);
  say("--data-root", model.inputs.data_root);
  say_each("--input", model.inputs.given);
  say_each("--input-shape", model.inputs.shapes);
  say_each("--new-shape", model.new_shapes);
  arguments.insert(arguments.end(), {"--", model.path});
  return {"/proc/self/exe", arguments};
}

}  // namespace opledger
