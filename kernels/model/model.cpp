// MXNet's models are JSON, ONNX's are not.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/model.h"

#include "conversion/label/label.h"
#include "conversion/label/settings.h"
#include "conversion/model/model.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/place/place_mxnet.h"
#include "conversion/place/place_onnx.h"
#include "kernels/bindings/mxnet/mxnet.h"
#include "kernels/bindings/onnx/onnx.h"
#include "kernels/control_flow/control_flow.h"
#include "kernels/machine/memory_limit.h"
#include "kernels/tensor/npy_file.h"

namespace opledger {

namespace {

// "NAME=DTYPE" for each input of a file. None, with an error: it cannot be read.
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

std::optional<Autocast> AutocastOf(OnnxModel& model, const std::string& target_dtype,
                                   const std::string& list, Diagnostics& diagnostics,
                                   const std::vector<std::string>& fp32_nodes) {
  ConvertOptions options;
  options.model = model.file.path();
  options.target_dtype = target_dtype;
  options.list = list;
  options.fp32_nodes = fp32_nodes;
  Settings settings(options);
  if (!settings.Read("onnx", diagnostics)) return std::nullopt;
  auto signatures = Signatures::Load("onnx", diagnostics);
  if (!signatures) return std::nullopt;
  const Typing typing = InferTypes(model.graph, *signatures);
  for (const TypeProblem& problem : typing.problems) {
    diagnostics.Error({.path = options.model},
                      NodeText(model.graph, problem.node) + ": " + problem.message);
  }
  if (!typing.problems.empty()) return std::nullopt;
  std::vector<NodeLabel> labels = LabelNodes(model.graph, typing, settings.label_options());
  if (!CheckUnlisted(settings, model.graph, labels, diagnostics)) return std::nullopt;
  TensorData data(model);
  CastCosts costs;
  Autocast autocast;
  autocast.target = settings.target();
  if (!PlaceOnnx(model, settings, data, labels, costs, autocast.plan, diagnostics)) {
    return std::nullopt;
  }
  return autocast;
}

std::optional<Autocast> AutocastOf(MxnetModel& model, const std::string& target_dtype,
                                   const std::string& list, Diagnostics& diagnostics,
                                   const std::vector<std::string>& fp32_nodes) {
  ConvertOptions options;
  options.model = model.symbol.file.path();
  options.target_dtype = target_dtype;
  options.list = list;
  options.fp32_nodes = fp32_nodes;
  Settings settings(options);
  if (!settings.Read("mxnet", diagnostics)) return std::nullopt;
  Graph& graph = model.symbol.graph;
  std::vector<NodeLabel> labels = LabelMxnet(model.symbol, model.typing, settings.label_options());
  if (!CheckUnlisted(settings, graph, labels, diagnostics)) return std::nullopt;
  Autocast autocast;
  autocast.target = settings.target();
  const std::vector<ValueId> inputs = graph.scopes.front().inputs;
  autocast.plan = PlaceMxnet(model.symbol, model.params ? &*model.params : nullptr, model.typing,
                             settings, labels);
  graph.scopes.front().inputs = inputs;
  return autocast;
}

}  // namespace

std::optional<RunnableModel> OpenRunnable(const std::string& path, const std::string& params,
                                          const InputOptions& inputs, Diagnostics& diagnostics) {
  if (!TakeMemoryLimit(inputs.memory_limit, diagnostics)) return std::nullopt;
  auto file = SourceFile::Open(path, diagnostics);
  if (!file) return std::nullopt;
  RunnableModel runnable{path, nullptr, nullptr};
  if (&FormatOf(file->bytes()) == &kMxnetFormat) {
    auto types = TypesOfFiles(inputs, diagnostics);
    if (!types) return std::nullopt;
    auto model = OpenMxnetToRun(std::move(*file), {params, std::move(*types)}, diagnostics);
    if (!model) return std::nullopt;
    runnable.mxnet = std::make_unique<MxnetModel>(std::move(*model));
    return runnable;
  }
  if (!params.empty()) {
    diagnostics.Error({.path = path}, "it is no MXNet symbol, so it has no --params");
    return std::nullopt;
  }
  auto model = OpenToRun(path, diagnostics);
  if (!model) return std::nullopt;
  runnable.onnx = std::make_unique<OnnxModel>(std::move(*model));
  return runnable;
}

std::optional<Autocast> AutocastOf(RunnableModel& model, const std::string& target_dtype,
                                   const std::string& list, Diagnostics& diagnostics,
                                   const std::vector<std::string>& fp32_nodes) {
  return model.onnx ? AutocastOf(*model.onnx, target_dtype, list, diagnostics, fp32_nodes)
                    : AutocastOf(*model.mxnet, target_dtype, list, diagnostics, fp32_nodes);
}

Binding Bind(RunnableModel& model) {
  if (model.mxnet) LeaveOutTraining(*model.mxnet);
  Binding binding = model.onnx ? BindOnnx(*model.onnx) : BindMxnet(*model.mxnet);
  binding.prepare_control_flow = &PrepareControlFlow;
  return binding;
}

std::optional<ModelInputs> TakeInputs(const RunnableModel& model, const InputOptions& options,
                                      Diagnostics& diagnostics) {
  if (model.onnx) return TakeInputs(*model.onnx, options, diagnostics);
  const auto shape_of = [&](ValueId value) { return ShapeOfVariable(*model.mxnet, value); };
  const auto pattern_of = [&](ValueId value) { return PatternOfVariable(*model.mxnet, value); };
  return TakeInputs(
      InputSource{model.graph(), model.path, shape_of, pattern_of, model.mxnet->unread}, options,
      diagnostics);
}

}  // namespace opledger
