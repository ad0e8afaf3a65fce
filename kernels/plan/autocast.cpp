// Who takes a parameter as it is takes it low only where nobody wants it otherwise, as the
// converted file has it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/autocast.h"

#include "conversion/label/label.h"
#include "conversion/label/settings.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/place/place_mxnet.h"
#include "conversion/place/place_onnx.h"

namespace opledger {
namespace {

bool WantIsLow(const ValuePlan& value, Want want) {
  const bool as_it_is =
      value.parameter ? value.wanted_low && !value.wanted_high : static_cast<bool>(value.low);
  return want == Want::kLow || (want == Want::kAsItIs && as_it_is);
}

}  // namespace

std::optional<Autocast> MakeAutocast(OnnxModel& model, const std::string& target_dtype,
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

std::optional<Autocast> MakeAutocast(MxnetModel& model, const std::string& target_dtype,
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

bool TakesLow(const Autocast& autocast, NodeId node, std::size_t input, ValueId value) {
  const ValuePlan& plan = autocast.plan.values[value];
  return plan.float32 && WantIsLow(plan, autocast.plan.inputs[node][input]);
}

bool OutputIsLow(const Autocast& autocast, ScopeId scope, std::size_t output, ValueId value) {
  const ValuePlan& plan = autocast.plan.values[value];
  return plan.float32 && WantIsLow(plan, autocast.plan.scope_outputs[scope][output]);
}

}  // namespace opledger
