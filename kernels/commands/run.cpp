// Reads the model and its inputs, plans, runs, and prints or writes the outputs.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <optional>
#include <set>

#include "kernels/commands/commands.h"
#include "kernels/commands/run_by_plan.h"
#include "kernels/execute/execute.h"
#include "kernels/kernel/kernel_list.h"
#include "kernels/kernel/narrow_products.h"
#include "kernels/machine/backend.h"
#include "kernels/machine/memory_limit.h"
#include "kernels/machine/parallel.h"
#include "kernels/machine/run_limits.h"
#include "kernels/model/files_read.h"
#include "kernels/model/input_folders.h"
#include "kernels/model/model.h"
#include "kernels/model/plan_cache.h"
#include "kernels/model/quantised_products.h"
#include "kernels/model/staged_plan.h"
#include "kernels/plan/device_copies.h"
#include "kernels/plan/step_text.h"
#include "kernels/tensor/npy_file.h"
#include "kernels/tensor/tensor_summary.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhyOnCpu =
    "--trace shows the reason for each; --device cuda-only makes it an error";

class ModelRun {
 public:
  ModelRun(const RunOptions& options, std::string& text, Diagnostics& diagnostics)
      : options_(options), text_(text), diagnostics_(diagnostics) {}

  bool Run();

 private:
  bool Open();
  bool CheckOutputs();
  bool CheckOutputs(const std::vector<OutputFile>& outputs);
  std::optional<std::vector<std::string>> OutputsOf(const ExecutionPlan& plan,
                                                    const std::string& folder);
  bool Fail(const std::string& message, const std::string& remedy = {}) {
    diagnostics_.Error({.path = options_.model}, message, remedy);
    return false;
  }
  std::optional<ExecutionPlan> Plan(PlanRequest& request, const ModelInputs& inputs);
  bool Write(const Executor& executor, const std::string& folder);
  bool RunOn(Executor& executor, const ModelInputs& inputs, const std::string& folder);
  bool RunEach(const PlanRequest& request, const Device* device);
  void Trace(const Executor& executor, const PlannedStep& step);
  void SayWhatTheCpuRuns(const ExecutionPlan& plan);

  const RunOptions& options_;
  std::string& text_;
  Diagnostics& diagnostics_;
  std::optional<RunnableModel> model_;
  std::optional<PlanReplay> replay_;  // of --plan
  bool multiplies_bytes_ = false;
  std::string said_;               // last note about nodes that the CPU runs for a device
  std::vector<std::string> runs_;  // folders of inputs
};

std::vector<std::string> FilesIn(const std::string& folder,
                                 const std::vector<std::string_view>& names) {
  std::vector<std::string> files = NpyFileNames(names);
  for (std::string& file : files) file = (fs::path(folder) / file).string();
  return files;
}

// Returns the files for a plan's outputs in `folder`. Returns nullopt, with an error, if two
// outputs have the same file.
std::optional<std::vector<std::string>> ModelRun::OutputsOf(const ExecutionPlan& plan,
                                                            const std::string& folder) {
  const std::vector<std::string> names = OutputNames(model_->graph(), plan);
  auto files = FilesIn(folder, {names.begin(), names.end()});
  if (plan.output_lists.empty()) return files;  // checked by CheckOutputs
  std::vector<OutputFile> outputs;
  for (const std::string& file : files) outputs.push_back({"-o", file});
  if (!folder.empty() && !CheckOutputs(outputs)) return std::nullopt;
  return files;
}

// Describes a list whose elements do not show what it is.
std::string ListText(const std::string& name, const ExecutionPlan::OutputList& list) {
  if (list.is_empty_optional) return name + ": an optional, empty\n";
  return name + ": a sequence of " + std::to_string(list.count) + "\n";
}

// Checks that no output overwrites a file that is read, or another output.
bool ModelRun::CheckOutputs() {
  std::vector<OutputFile> outputs = {{"--write-plan", options_.write_plan}};
  const Graph& graph = model_->graph();
  std::vector<std::string_view> names;
  for (const ValueId output : graph.scopes[0].outputs) names.push_back(graph.values[output].name);
  const std::vector<std::string> runs = runs_.empty() ? std::vector<std::string>(1) : runs_;
  for (const std::string& run : options_.output.empty() ? std::vector<std::string>() : runs) {
    const auto files = FilesIn((fs::path(options_.output) / run).string(), names);
    for (const std::string& file : std::set<std::string>(files.begin(), files.end())) {
      outputs.push_back({"-o", file});
    }
  }
  return CheckOutputs(outputs);
}

bool ModelRun::CheckOutputs(const std::vector<OutputFile>& outputs) {
  FilesInUse files = FilesRead(*model_, options_.params, options_.inputs, options_.autocast.list);
  files.read.push_back(options_.plan);
  return CheckOutputFiles(files, outputs, diagnostics_);
}

// `folder`: for the outputs; empty: print summaries.
bool ModelRun::Write(const Executor& executor, const std::string& folder) {
  const ExecutionPlan& plan = executor.plan();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  const Graph& graph = model_->graph();
  const auto files = OutputsOf(plan, folder);
  if (!files) return false;
  const std::vector<std::string> names = OutputNames(graph, plan);
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const ValueId output = plan.outputs[i];
    const TensorType& type = *plan.slots[output].type;
    text_ += Summarise(Printable(names[i]), type, executor.Data(output)) + "\n";
    if (folder.empty()) continue;
    if (!WriteNpy((*files)[i], type, executor.Data(output), diagnostics_)) return false;
  }
  for (const ExecutionPlan::OutputList& list : plan.output_lists) {
    text_ += ListText(Printable(graph.values[graph.scopes[0].outputs[list.output]].name), list);
  }
  return true;
}

// Describes a copy and its size. The range of its values is shown with the step that computed them.
std::string CopyText(const ExecutionPlan& plan, const PlannedStep& step) {
  const TensorType& type = *plan.slots[step.outputs[0]].type;
  const bool to_cpu = step.copies == PlannedStep::Copies::kToCpu;
  return "between nodes: " + Text(type) + " to the " + (to_cpu ? "CPU, " : "GPU, ") +
         MemoryText(Bytes(type)) + "\n";
}

void ModelRun::Trace(const Executor& executor, const PlannedStep& step) {
  const Graph& graph = model_->graph();
  const ExecutionPlan& plan = executor.plan();
  if (step.copies != PlannedStep::Copies::kNo) {
    text_ += CopyText(plan, step);
    return;
  }
  text_ += StepText(RecordStep(graph, plan, step, {}), step.refusal);
  for (const ValueId output : step.outputs) {
    if (output == kNone) continue;
    text_ +=
        "  " +
        Summarise(SlotName(graph, plan, output), *plan.slots[output].type, executor.Data(output)) +
        "\n";
  }
}

// Makes the plan, replaying a recorded one if given, and records it if requested.
std::optional<ExecutionPlan> ModelRun::Plan(PlanRequest& request, const ModelInputs& inputs) {
  if (replay_) {
    request.replay = &*replay_;
    request.choice.reference_only = replay_->plan().kernels == "reference";
  }
  RecordedPlan record = BeginRecord(options_);
  if (request.choice.reference_only) record.kernels = "reference";
  if (multiplies_bytes_) record.quantised_products = "bytes";
  if (!options_.write_plan.empty()) request.record = &record;
  Status problem;
  auto plan = MakeStagedPlan(request, inputs, problem);
  if (!plan) {
    if (replay_ && replay_->problem()) {
      const Diagnostic& why = *replay_->problem();
      diagnostics_.Error(why.location, why.message, why.hint);
    } else {
      Fail(StatusText(model_->graph(), problem));
    }
    return std::nullopt;
  }
  for (const Dtype dtype : kNarrowDtypes) {
    const std::string products = replay_ ? replay_->plan().products.at(dtype) : "";
    if (products.empty() || products == NarrowProductsName(ChosenNarrowProducts(dtype))) continue;
    Fail("the plan multiplies " + std::string(DtypeName(dtype)) +
             " natively, which this machine does not support",
         "record the plan again with --write-plan");
    return std::nullopt;
  }
  if (request.record != nullptr &&
      !WriteRecord(std::move(record), options_.write_plan, diagnostics_))
    return std::nullopt;
  return plan;
}

bool ModelRun::RunOn(Executor& executor, const ModelInputs& inputs, const std::string& folder) {
  if (diagnostics_.has_errors()) return false;  // a pass could not be written
  const auto trace = [&](const PlannedStep& step) { Trace(executor, step); };
  if (options_.trace) text_ += NodesWithoutSteps(model_->graph(), executor.plan());
  executor.Run(inputs.For(executor.plan(), model_->graph()),
               options_.trace ? Executor::Done(trace) : nullptr);
  if (!executor.status().ok()) return Fail(executor.ProblemText(model_->graph()));
  return Write(executor, folder);
}

// Notes which nodes the CPU runs in a plan for a device, unless the last note was the same.
void ModelRun::SayWhatTheCpuRuns(const ExecutionPlan& plan) {
  std::string said = CpuShareText(CpuShareOf(model_->graph(), plan));
  if (said.empty() || said == said_) return;
  diagnostics_.Add({Severity::kNote, {.path = options_.model}, said, kWhyOnCpu, {}});
  said_ = std::move(said);
}

// Runs the model for each folder of inputs.
bool ModelRun::RunEach(const PlanRequest& request, const Device* device) {
  PlanCache plans(request, device);
  for (const std::string& run : runs_) {
    const auto of_run = OptionsOfRun(options_.inputs, run, &model_->graph(), diagnostics_);
    const auto inputs = of_run ? TakeInputs(*model_, *of_run, diagnostics_) : std::nullopt;
    if (!inputs) return false;
    Status problem;
    Executor* executor = plans.For(*inputs, problem);
    if (executor == nullptr) return Fail(run + ": " + StatusText(model_->graph(), problem));
    SayWhatTheCpuRuns(executor->plan());
    text_ += Printable(run) + ":\n";
    const fs::path output(options_.output);
    if (!RunOn(*executor, *inputs, options_.output.empty() ? "" : (output / run).string())) {
      return false;
    }
  }
  const auto counted = [](std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  text_ += counted(runs_.size(), "run") + ", " + counted(plans.made(), "plan") + "\n";
  return true;
}

// Opens the model, and the inputs from which a model without types takes them.
bool ModelRun::Open() {
  InputOptions inputs = options_.inputs;
  if (!inputs.from.empty()) {
    if (!options_.plan.empty() || !options_.write_plan.empty()) {
      return Fail("a recorded plan is for a single run", "leave out --inputs-from, or --plan");
    }
    auto runs = RunsOf(inputs, diagnostics_);
    if (!runs) return false;
    runs_ = std::move(*runs);
    auto of_run = OptionsOfRun(inputs, runs_.front(), nullptr, diagnostics_);
    if (!of_run) return false;
    inputs = std::move(*of_run);
  }
  model_ = OpenRunnable(options_.model, options_.params, inputs, diagnostics_);
  return model_ && CheckOutputs();
}

bool ModelRun::Run() {
  if (!Open()) return false;
  std::optional<Autocast> autocast;
  if (!options_.autocast.dtype.empty()) {
    if (!RaiseOpsetFor(*model_, options_.autocast, diagnostics_)) return false;
    autocast = AutocastOf(*model_, options_.autocast, diagnostics_);
    if (!autocast) return false;
    if (!autocast->changes_nothing.empty()) {
      diagnostics_.Warning({.path = options_.model}, autocast->changes_nothing,
                           "the model runs as without --autocast");
    }
  }
  KernelChoice choice = ChoiceFor(options_.device);
  choice.reference_only = options_.kernels == "reference";
  if (!options_.plan.empty()) {
    replay_ = OpenPlan(options_, diagnostics_);
    if (!replay_) return false;
  }
  const bool is_fast = !choice.reference_only && choice.device == "cpu";
  const bool may_multiply = !replay_ || replay_->plan().quantised_products == "bytes";
  if (is_fast && may_multiply) {
    multiplies_bytes_ = MultiplyBytes(*model_, autocast ? &*autocast : nullptr);
  }
  const Binding binding = Bind(*model_);
  PlanRequest request{&model_->graph(), &binding, {}, choice, nullptr, {}};
  request.shows_steps = options_.trace;
  RecordedPlan shown;
  if (options_.trace) request.shown = &shown;
  const WatchPass watch = WatchPasses(options_, text_, diagnostics_);
  if (watch) request.watch = &watch;
  request.lists_as_outputs = true;
  if (autocast) request.autocast = &*autocast;
  const Device* device = nullptr;
  if (choice.device != "cpu") {
    if (options_.kernels == "reference") {
      return Fail("the reference kernels run only on the CPU", "leave out --device or --kernels");
    }
    Status why;
    device = OpenDevice(choice.device, choice.device_number, why);
    if (device == nullptr) return Fail(why.message, why.hint);
  }
  if (!runs_.empty()) return RunEach(request, device);
  const auto inputs = TakeInputs(*model_, options_.inputs, diagnostics_);
  if (!inputs) return false;
  inputs->Describe(request);
  auto plan = Plan(request, *inputs);
  if (!plan) return false;
  SayWhatTheCpuRuns(*plan);
  Executor executor =
      device == nullptr ? Executor(std::move(*plan)) : Executor(std::move(*plan), *device);
  return RunOn(executor, *inputs, options_.output);
}

}  // namespace

int Run(const RunOptions& options, std::string& text, Diagnostics& diagnostics) {
  if (!options.list_kernels.empty()) {
    text = ListKernels(options.list_kernels);
    return 0;
  }
  if (options.model.empty()) {
    diagnostics.Error({}, "there is no model to run", "name one, or use --list-kernels text");
    return 2;
  }
  if (options.threads >= 0) SetThreads(options.threads);
  const RunLimits limits(options.max_trips, options.seconds);
  if (ModelRun(options, text, diagnostics).Run()) return 0;
  return limits.signal() != 0 ? 128 + limits.signal() : 2;  // as shells report signals
}

}  // namespace opledger
