// Reads the model and its inputs, plans, runs, and says or writes what came out.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/run.h"

#include <filesystem>
#include <optional>

#include "kernels/bfloat16_products.h"
#include "kernels/cuda/loader.h"
#include "kernels/executor.h"
#include "kernels/kernel_list.h"
#include "kernels/npy_file.h"
#include "kernels/run_by_plan.h"
#include "kernels/runnable_model.h"
#include "kernels/staged_plan.h"
#include "kernels/tensor_summary.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

class ModelRun {
 public:
  ModelRun(const RunOptions& options, std::string& text, Diagnostics& diagnostics)
      : options_(options), text_(text), diagnostics_(diagnostics) {}

  bool Run();

 private:
  bool Fail(const std::string& message, const std::string& remedy = {}) {
    diagnostics_.Error({.path = options_.model}, message, remedy);
    return false;
  }
  std::optional<ExecutionPlan> Plan(PlanRequest& request, const ModelInputs& inputs);
  bool Write(const Executor& executor);
  void Trace(const Executor& executor, const PlannedStep& step);

  const RunOptions& options_;
  std::string& text_;
  Diagnostics& diagnostics_;
  std::optional<RunnableModel> model_;
};

// A name as a file's: what is no letter, digit, dot, dash or underscore is an underscore.
std::string FileName(std::string_view name) {
  std::string file;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !file.empty());
    file += plain ? c : '_';
  }
  return file + ".npy";
}

bool ModelRun::Write(const Executor& executor) {
  const ExecutionPlan& plan = executor.plan();
  std::error_code error;
  if (!options_.output.empty()) fs::create_directories(options_.output, error);
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const ValueId output = plan.outputs[i];
    const ValueId named = model_->graph().scopes[0].outputs[i];
    const std::string_view name = model_->graph().values[named].name;
    const TensorType& type = *plan.slots[output].type;
    text_ += Summarise(name, type, executor.Data(output)) + "\n";
    if (options_.output.empty()) continue;
    const std::string path = (fs::path(options_.output) / FileName(name)).string();
    if (!WriteNpy(path, type, executor.Data(output), diagnostics_)) return false;
  }
  return true;
}

void ModelRun::Trace(const Executor& executor, const PlannedStep& step) {
  const bool is_cast = step.node == kNone;
  text_ += (is_cast ? "between nodes" : model_->graph().NameOf(step.node)) + ": " +
           std::string(step.kernel->name()) + " (" + std::string(step.kernel->device());
  if (*step.kernel->instruction_set() != '\0') {
    text_ += std::string(", ") + step.kernel->instruction_set();
  }
  text_ += ")\n";
  for (const ValueId output : step.outputs) {
    if (output == kNone) continue;
    const bool is_named = static_cast<std::size_t>(output) < model_->graph().values.size();
    const std::string_view name = is_named ? model_->graph().values[output].name : "of a value";
    text_ +=
        "  " + Summarise(name, *executor.plan().slots[output].type, executor.Data(output)) + "\n";
  }
}

// Makes the plan, as a recorded one has it where there is one, and records it where that is wanted.
std::optional<ExecutionPlan> ModelRun::Plan(PlanRequest& request, const ModelInputs& inputs) {
  std::optional<PlanReplay> replay;
  if (!options_.plan.empty()) {
    replay = OpenPlan(options_, diagnostics_);
    if (!replay) return std::nullopt;
    request.replay = &*replay;
    request.choice.reference_only = replay->plan().kernels == "reference";
  }
  RecordedPlan record = BeginRecord(options_);
  if (request.choice.reference_only) record.kernels = "reference";
  if (!options_.write_plan.empty()) request.record = &record;
  std::string problem;
  auto plan = MakeStagedPlan(request, inputs, problem);
  if (!plan) {
    if (replay && replay->problem()) {
      const Diagnostic& why = *replay->problem();
      diagnostics_.Error(why.location, why.message, why.hint);
    } else {
      Fail(problem);
    }
    return std::nullopt;
  }
  if (replay && !replay->plan().bfloat16_products.empty() &&
      replay->plan().bfloat16_products != Bfloat16ProductsName(ChosenBfloat16Products())) {
    Fail("the plan multiplies bfloat16 as it is, which this machine cannot",
         "make the plan anew with --write-plan");
    return std::nullopt;
  }
  if (request.record != nullptr &&
      !WriteRecord(std::move(record), options_.write_plan, diagnostics_))
    return std::nullopt;
  return plan;
}

bool ModelRun::Run() {
  model_ = OpenRunnable(options_.model, options_.params, options_.inputs, diagnostics_);
  if (!model_) return false;
  std::optional<Autocast> autocast;
  if (!options_.autocast.empty()) {
    autocast = AutocastOf(*model_, options_.autocast, options_.list, diagnostics_);
    if (!autocast) return false;
  }
  const Binding binding = Bind(*model_);
  const auto inputs = TakeInputs(*model_, options_.inputs, diagnostics_);
  if (!inputs) return false;
  const KernelChoice choice{options_.kernels == "reference", options_.device};
  PlanRequest request{&model_->graph(), &binding, {}, choice, nullptr, {}};
  if (autocast) request.autocast = &*autocast;
  inputs->Describe(request);
  std::string problem;
  const Device* device = nullptr;
  if (options_.device == "cuda") {
    std::string remedy;
    if (options_.kernels == "reference") {
      return Fail("the reference kernels run on the CPU", "leave out --device or --kernels");
    }
    device = cuda::OpenDevice(problem, remedy);
    if (device == nullptr) return Fail(problem, remedy);
  }
  auto plan = Plan(request, *inputs);
  if (!plan) return false;
  Executor executor =
      device == nullptr ? Executor(std::move(*plan)) : Executor(std::move(*plan), *device);
  const auto trace = [&](const PlannedStep& step) { Trace(executor, step); };
  executor.Run(inputs->For(executor.plan(), model_->graph()),
               options_.trace ? Executor::Done(trace) : nullptr);
  if (!executor.problem().empty()) return Fail("on the GPU: " + executor.problem());
  return Write(executor);
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
  return ModelRun(options, text, diagnostics).Run() ? 0 : 2;
}

}  // namespace opledger
