// Runs models of each format; kFormats has one row for each.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/model.h"

#include <algorithm>

#include "conversion/label/label.h"
#include "conversion/label/settings.h"
#include "conversion/model/model.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/place/label_onnx.h"
#include "conversion/place/place_mxnet.h"
#include "conversion/place/place_onnx.h"
#include "conversion/prepare/better_opset.h"
#include "kernels/bindings/mxnet/mxnet.h"
#include "kernels/bindings/onnx/onnx.h"
#include "kernels/control_flow/control_flow.h"
#include "kernels/machine/memory_limit.h"
#include "kernels/model/inlined_functions.h"
#include "kernels/model/sequence_inputs.h"
#include "kernels/tensor/npy_file.h"

namespace opledger {

namespace {

// Returns "NAME=DTYPE" for each input that is a file, or nullopt, with an error, if one cannot be
// read.
std::optional<std::vector<std::string>> TypesOfFiles(const InputOptions& inputs,
                                                     Diagnostics& diagnostics) {
  std::vector<std::string> types;
  for (const std::string& given : inputs.given) {
    const auto [name, from] = CutAtEquals(given);
    if (from == "random") continue;
    const auto tensor = ReadNpy(from, diagnostics);
    if (!tensor) return std::nullopt;
    types.push_back(name + "=" + DtypeName(tensor->type.dtype));
  }
  return types;
}

bool TakeMemoryLimit(const std::string& said, Diagnostics& diagnostics) {
  if (said.empty()) return true;
  const auto bytes = ParseMemorySize(said);
  if (bytes) {
    SetMemoryLimit(*bytes);
  } else {
    diagnostics.Error({}, "--memory-limit: must be a size, not '" + said + "'",
                      "write a number of bytes, or 512M, or 16G");
  }
  return bytes.has_value();
}

void SayIfNothingIsLow(const Graph& graph, const std::vector<NodeLabel>& labels,
                       Autocast& autocast) {
  const std::vector<bool>& low = autocast.plan.low;
  if (std::find(low.begin(), low.end(), true) != low.end()) return;
  autocast.changes_nothing = WhyNothingIsLow(graph, labels, autocast.target);
}

// A given input replaces the default value of an input.
void TakeDefaults(Graph& graph, const InputOptions& inputs) {
  for (const std::string& given : inputs.given) {
    const ValueId value = graph.Find(0, CutAtEquals(given).first);
    if (value != kNone && graph.values[value].is_input) graph.values[value].tensor = kNone;
  }
}

// Inlines functions, and replaces sequence inputs by tensors.
bool PrepareToRun(OnnxModel& model, RunnableModel& runnable, Diagnostics& diagnostics) {
  TakeDefaults(model.graph, runnable.inputs);
  return ExpandFunctionCalls(model, runnable.names, diagnostics) &&
         TakeSequenceInputs(model, runnable.inputs, runnable.names, diagnostics);
}

// Reads the file again, because the model prepared to run has nodes that the file lacks.
bool RaiseOnnx(RunnableModel& runnable, const Settings& settings, Diagnostics& diagnostics) {
  auto signatures = Signatures::Load("onnx", diagnostics);
  if (!signatures) return false;
  const auto wanted_of = [&](OnnxModel& model, std::vector<NodeLabel>& labels) {
    const Typing typing = InferTypes(model.graph, *signatures);
    if (!FindProblems(model, typing).empty()) return WantedOpsets{};
    labels = LabelOnnx(model, typing, settings);
    return FindWantedOpsets(model, typing, labels, settings, *signatures);
  };
  std::vector<NodeLabel> labels;
  if (wanted_of(*runnable.onnx, labels).opsets.empty()) return true;
  const auto steps = OpsetSteps::Load(diagnostics);
  auto model = OpenToRun(runnable.path, diagnostics, runnable.inputs.data_root);
  if (!steps || !model) return false;
  const WantedOpsets wanted = wanted_of(*model, labels);
  for (const std::int64_t opset : wanted.opsets) {
    if (opset > steps->newest()) continue;
    std::string obstacle;
    auto raised = BringToOpset(*model, *steps, opset, settings,
                               wanted.if_better ? &labels : nullptr, *signatures, obstacle);
    if (!raised) continue;
    if (!PrepareToRun(raised->model, runnable, diagnostics)) return false;
    runnable.onnx = std::make_unique<OnnxModel>(std::move(raised->model));
    break;
  }
  return true;
}

// MXNet's operators have no versions.
bool RaiseMxnet(RunnableModel&, const Settings&, Diagnostics&) { return true; }

std::optional<Autocast> AutocastOnnx(RunnableModel& runnable, const Settings& settings,
                                     Diagnostics& diagnostics) {
  OnnxModel& model = *runnable.onnx;
  auto signatures = Signatures::Load("onnx", diagnostics);
  if (!signatures) return std::nullopt;
  const Typing typing = InferTypes(model.graph, *signatures);
  for (const TypeProblem& problem : typing.problems) {
    diagnostics.Error({.path = runnable.path},
                      NodeText(model.graph, problem.node) + ": " + problem.message);
  }
  if (!typing.problems.empty()) return std::nullopt;
  std::vector<NodeLabel> labels = LabelOnnx(model, typing, settings);
  if (!CheckUnlisted(settings, model.graph, labels, diagnostics)) return std::nullopt;
  TensorData data(model);
  CastCosts costs;
  Autocast autocast;
  autocast.target = settings.target();
  if (!PlaceOnnx(model, settings, data, labels, costs, autocast.plan, diagnostics)) {
    return std::nullopt;
  }
  TakeAttributes(autocast.plan, OnnxDataType, model.graph);
  SayIfNothingIsLow(model.graph, labels, autocast);
  return autocast;
}

std::optional<Autocast> AutocastMxnet(RunnableModel& runnable, const Settings& settings,
                                      Diagnostics& diagnostics) {
  MxnetModel& model = *runnable.mxnet;
  Graph& graph = model.symbol.graph;
  const MxnetParams* params = model.params ? &*model.params : nullptr;
  std::vector<NodeLabel> labels =
      LabelMxnet(model.symbol, params, model.typing, settings.label_options());
  if (!CheckUnlisted(settings, graph, labels, diagnostics)) return std::nullopt;
  Autocast autocast;
  autocast.target = settings.target();
  const std::vector<ValueId> inputs = graph.scopes.front().inputs;
  auto plan = PlaceMxnet(model.symbol, params, model.typing, settings, labels, diagnostics);
  if (!plan) return std::nullopt;
  autocast.plan = std::move(*plan);
  graph.scopes.front().inputs = inputs;
  TakeAttributes(
      autocast.plan, [](Dtype) { return std::int64_t{0}; }, graph);
  SayIfNothingIsLow(graph, labels, autocast);
  return autocast;
}

bool OpenOnnx(SourceFile, const std::string& params, const InputOptions& inputs,
              RunnableModel& runnable, Diagnostics& diagnostics) {
  if (!params.empty()) {
    diagnostics.Error({.path = runnable.path},
                      "--params is only for MXNet symbols, and this is not one");
    return false;
  }
  auto model = OpenToRun(runnable.path, diagnostics, inputs.data_root);
  if (!model || !PrepareToRun(*model, runnable, diagnostics)) return false;
  runnable.onnx = std::make_unique<OnnxModel>(std::move(*model));
  return true;
}

bool OpenMxnet(SourceFile file, const std::string& params, const InputOptions& inputs,
               RunnableModel& runnable, Diagnostics& diagnostics) {
  auto types = TypesOfFiles(inputs, diagnostics);
  if (!types) return false;
  auto model = OpenMxnetToRun(std::move(file), {params, std::move(*types)}, diagnostics);
  if (model) runnable.mxnet = std::make_unique<MxnetModel>(std::move(*model));
  return model.has_value();
}

Binding BindOnnxModel(RunnableModel& model) { return BindOnnx(*model.onnx); }

Binding BindMxnetModel(RunnableModel& model) {
  LeaveOutTraining(*model.mxnet);
  return BindMxnet(*model.mxnet);
}

std::optional<ModelInputs> TakeOnnxInputs(const RunnableModel& model, const InputOptions& options,
                                          Diagnostics& diagnostics) {
  return TakeInputs(*model.onnx, options, diagnostics);
}

std::optional<ModelInputs> TakeMxnetInputs(const RunnableModel& model, const InputOptions& options,
                                           Diagnostics& diagnostics) {
  const auto shape_of = [&](ValueId value) { return ShapeOfVariable(*model.mxnet, value); };
  const auto pattern_of = [&](ValueId value) { return PatternOfVariable(*model.mxnet, value); };
  return TakeInputs(
      InputSource{model.graph(), model.path, shape_of, pattern_of, model.mxnet->unread}, options,
      diagnostics);
}

}  // namespace

struct RunnableFormat {
  const ModelFormat& model;
  // Sets the format's model. Returns false, with errors, if it cannot be run.
  bool (*open)(SourceFile file, const std::string& params, const InputOptions& inputs,
               RunnableModel& runnable, Diagnostics& diagnostics);
  bool (*raise_opset)(RunnableModel& model, const Settings& settings, Diagnostics& diagnostics);
  std::optional<Autocast> (*autocast)(RunnableModel& model, const Settings& settings,
                                      Diagnostics& diagnostics);
  Binding (*bind)(RunnableModel& model);
  std::optional<ModelInputs> (*take_inputs)(const RunnableModel& model, const InputOptions& options,
                                            Diagnostics& diagnostics);
};

namespace {

constexpr RunnableFormat kFormats[] = {
    {kMxnetFormat, OpenMxnet, RaiseMxnet, AutocastMxnet, BindMxnetModel, TakeMxnetInputs},
    {kOnnxFormat, OpenOnnx, RaiseOnnx, AutocastOnnx, BindOnnxModel, TakeOnnxInputs},
};

// Returns nullptr for a format that can be converted but not run.
const RunnableFormat* FindRunnableFormat(const ModelFormat& model) {
  for (const RunnableFormat& format : kFormats) {
    if (&format.model == &model) return &format;
  }
  return nullptr;
}

}  // namespace

const char* RunnableModel::framework() const { return format->model.name; }

std::optional<RunnableModel> OpenRunnable(const std::string& path, const std::string& params,
                                          const InputOptions& inputs, Diagnostics& diagnostics) {
  if (!TakeMemoryLimit(inputs.memory_limit, diagnostics)) return std::nullopt;
  auto file = SourceFile::Open(path, diagnostics, inputs.data_root);
  if (!file) return std::nullopt;
  const ModelFormat& model = FormatOf(file->bytes());
  const RunnableFormat* const format = FindRunnableFormat(model);
  if (format == nullptr) {
    return diagnostics.Error({.path = path}, std::string(model.name) + " models cannot be run");
  }
  RunnableModel runnable{format, path, nullptr, nullptr};
  runnable.inputs = inputs;
  if (!format->open(std::move(*file), params, inputs, runnable, diagnostics)) {
    return std::nullopt;
  }
  return runnable;
}

namespace {

ConvertOptions AsConversion(const RunnableModel& model, const AutocastOptions& autocast) {
  ConvertOptions options;
  options.model = model.path;
  options.target_dtype = autocast.dtype;
  options.list = autocast.list;
  options.hazards = autocast.hazards;
  options.quantized_islands = autocast.quantized_islands;
  options.input_ranges = autocast.input_ranges;
  options.small_constants = autocast.small_constants;
  return options;
}

}  // namespace

bool RaiseOpsetFor(RunnableModel& model, const AutocastOptions& autocast,
                   Diagnostics& diagnostics) {
  const ConvertOptions options = AsConversion(model, autocast);
  Settings settings(options);
  return settings.Read(model.framework(), diagnostics) &&
         model.format->raise_opset(model, settings, diagnostics);
}

std::optional<Autocast> AutocastOf(RunnableModel& model, const AutocastOptions& autocast,
                                   Diagnostics& diagnostics,
                                   const std::vector<std::string>& fp32_nodes,
                                   const std::vector<std::string>& either_nodes) {
  ConvertOptions options = AsConversion(model, autocast);
  options.fp32_nodes = fp32_nodes;
  options.either_nodes = either_nodes;
  Settings settings(options);
  if (!settings.Read(model.framework(), diagnostics)) return std::nullopt;
  return model.format->autocast(model, settings, diagnostics);
}

Binding Bind(RunnableModel& model) {
  Binding binding = model.format->bind(model);
  binding.prepare_control_flow = &PrepareControlFlow;
  return binding;
}

std::optional<ModelInputs> TakeInputs(const RunnableModel& model, const InputOptions& options,
                                      Diagnostics& diagnostics) {
  return model.format->take_inputs(model, options, diagnostics);
}

}  // namespace opledger
