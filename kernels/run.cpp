// Reads the model and its inputs, plans, runs, and says or writes what came out.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/run.h"

#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "conversion/model/onnx_model.h"
#include "conversion/model/shapes.h"
#include "kernels/bindings/onnx.h"
#include "kernels/executor.h"
#include "kernels/npy_file.h"
#include "kernels/random_tensor.h"
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
  bool TakeInputs();
  bool TakeInput(const std::string& name, const std::string& from, ValueId value);
  std::optional<TensorType> TypeOf(const std::string& name, ValueId value);
  bool Write(const Executor& executor);
  void Trace(const Executor& executor, const PlannedStep& step);

  const RunOptions& options_;
  std::string& text_;
  Diagnostics& diagnostics_;
  std::optional<OnnxModel> model_;
  std::map<std::string, ConstantTensor> inputs_;
  std::set<std::string> random_;  // of those
};

// "3,224,224"; none: no such list.
std::optional<Dimensions> ReadDimensions(std::string_view text) {
  Dimensions dimensions;
  while (!text.empty()) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    dimensions.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && text.front() != ',') return std::nullopt;
    if (!text.empty()) text.remove_prefix(1);
  }
  return dimensions;
}

// "NAME=REST", cut at the last '=' that has something behind it.
std::pair<std::string, std::string> CutAtEquals(const std::string& text) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

// Whether an input may say how rather than what: a shape, axes, a condition. A run has one plan, so
// such an input is a constant of it; without it, operators whose output's shape it says have none.
bool SaysHow(const TensorType& type) {
  constexpr std::size_t kMostNumbers = 64;
  const bool is_number = type.dtype == Dtype::kFloat32 || type.dtype == Dtype::kFloat16 ||
                         type.dtype == Dtype::kBfloat16 || type.dtype == Dtype::kFloat64;
  return type.Rank() <= 1 && Elements(type.dimensions) <= (is_number ? 8 : kMostNumbers);
}

std::optional<TensorType> ModelRun::TypeOf(const std::string& name, ValueId value) {
  const ValueType& declared = model_->graph.values[value].type;
  if (!declared.dtype) {
    Fail("nobody says which type the input '" + name + "' has", "give it as NAME=FILE.npy");
    return std::nullopt;
  }
  TensorType type{*declared.dtype, {}};
  for (const std::string& given : options_.input_shapes) {
    const auto [of, list] = CutAtEquals(given);
    if (of != name) continue;
    const auto dimensions = ReadDimensions(list);
    if (!dimensions) {
      Fail("--input-shape " + given + " is no shape", "write NAME=2,3");
      return std::nullopt;
    }
    type.dimensions = *dimensions;
    return type;
  }
  const auto shapes = InferShapes(*model_, {}, diagnostics_);
  if (!shapes) return std::nullopt;
  if (!shapes->values[value]) {
    Fail("the model leaves the shape of the input '" + name + "' open",
         "say it: --input-shape " + name + "=D,D");
    return std::nullopt;
  }
  type.dimensions = *shapes->values[value];
  return type;
}

bool ModelRun::TakeInput(const std::string& name, const std::string& from, ValueId value) {
  if (from != "random") {
    auto tensor = ReadNpy(from, diagnostics_);
    if (!tensor) return false;
    inputs_[name] = std::move(*tensor);
    return true;
  }
  const auto type = TypeOf(name, value);
  if (!type) return false;
  if (!CheckSize(*type)) return Fail("no kernel takes an input of " + Text(*type));
  random_.insert(name);
  inputs_[name] = RandomTensor(*type, inputs_.size() + 1);
  return true;
}

bool ModelRun::TakeInputs() {
  std::map<std::string, ValueId> wanted;
  std::string names;
  for (const ValueId input : RequiredInputs(model_->graph)) {
    const std::string name(model_->graph.values[input].name);
    wanted[name] = input;
    names += (names.empty() ? "" : ", ") + name;
  }
  for (const std::string& given : options_.inputs) {
    const auto [name, from] = CutAtEquals(given);
    const auto found = wanted.find(name);
    if (found == wanted.end()) return Fail("it has no input '" + name + "'", "it has: " + names);
    if (!TakeInput(name, from, found->second)) return false;
  }
  for (const auto& [name, value] : wanted) {
    if (inputs_.count(name) == 0) {
      return Fail("its input '" + name + "' is not given",
                  "give each one: --input " + name + "=FILE.npy, or =random");
    }
  }
  return true;
}

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
    const ValueId named = model_->graph.scopes[0].outputs[i];
    const std::string_view name = model_->graph.values[named].name;
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
  text_ += (is_cast ? "a cast" : model_->graph.NameOf(step.node)) + ": " +
           std::string(step.kernel->name()) + " (" + std::string(step.kernel->device());
  if (*step.kernel->instruction_set() != '\0') {
    text_ += std::string(", ") + step.kernel->instruction_set();
  }
  text_ += ")\n";
  for (const ValueId output : step.outputs) {
    if (output == kNone) continue;
    const std::string_view name = is_cast ? "of a value" : model_->graph.values[output].name;
    text_ +=
        "  " + Summarise(name, *executor.plan().slots[output].type, executor.Data(output)) + "\n";
  }
}

bool ModelRun::Run() {
  auto file = SourceFile::Open(options_.model, diagnostics_);
  if (!file) return false;
  model_ = ReadOnnx(std::move(*file), diagnostics_);
  if (!model_) return false;
  if (!model_->problems.empty()) return Fail(model_->problems.front());
  if (!TakeInputs()) return false;
  const Binding binding = BindOnnx(*model_);
  PlanRequest request{&model_->graph, &binding, {}, {options_.kernels == "reference"}, nullptr, {}};
  std::optional<Autocast> autocast;
  if (!options_.autocast.empty()) {
    autocast = MakeAutocast(*model_, options_.autocast, options_.list, diagnostics_);
    if (!autocast) return false;
    request.autocast = &*autocast;
  }
  for (const auto& [name, tensor] : inputs_) {
    request.inputs[name] = tensor.type;
    if (random_.count(name) == 0 && SaysHow(tensor.type)) request.constants[name] = tensor;
  }
  std::string problem;
  auto plan = MakeExecutionPlan(request, problem);
  if (!plan) return Fail(problem);
  Executor executor(std::move(*plan));
  std::vector<const void*> data;
  for (const ValueId input : executor.plan().inputs) {
    data.push_back(inputs_[std::string(model_->graph.values[input].name)].data.get());
  }
  const auto trace = [&](const PlannedStep& step) { Trace(executor, step); };
  executor.Run(data, options_.trace ? Executor::Done(trace) : nullptr);
  return Write(executor);
}

}  // namespace

int Run(const RunOptions& options, std::string& text, Diagnostics& diagnostics) {
  return ModelRun(options, text, diagnostics).Run() ? 0 : 2;
}

}  // namespace opledger
