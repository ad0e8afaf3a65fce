// Fills in what files of old versions omit, as src/nnvm/legacy_json_util.cc of MXNet does.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/mxnet/model.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "conversion/model/mxnet/mxnet.h"

namespace opledger {
namespace {

// The input of a loss that only its gradient reads.
bool IsLabel(const Node& node, std::size_t input) {
  static constexpr std::string_view kLosses[] = {"SoftmaxOutput",
                                                 "LinearRegressionOutput",
                                                 "LogisticRegressionOutput",
                                                 "MAERegressionOutput",
                                                 "SVMOutput",
                                                 "_identity_with_attr_like_rhs"};
  return input == 1 &&
         std::find(std::begin(kLosses), std::end(kLosses), node.op) != std::end(kLosses);
}

using ArrayNumbers = std::map<std::string_view, TensorId, std::less<>>;

// Maps variables to arrays by name.
ArrayNumbers NumbersOf(const std::optional<MxnetParams>& params) {
  ArrayNumbers numbers;
  for (std::size_t i = 0; params && i < params->arrays.size(); ++i) {
    numbers[MxnetVariableName(params->arrays[i].name)] = static_cast<TensorId>(i);
  }
  return numbers;
}

// Before 0.9 files have no variables for states, only parameters: NAME_moving_mean.
void AddStates(MxnetModel& model) {
  Graph& graph = model.symbol.graph;
  const ArrayNumbers arrays = NumbersOf(model.params);
  for (Node& node : graph.nodes) {
    if (node.op != "BatchNorm" || node.inputs.size() != 3) continue;
    for (const char* state : {"_moving_mean", "_moving_var"}) {
      const auto array = arrays.find(std::string(node.name) + state);
      if (array == arrays.end()) break;
      node.inputs.push_back(static_cast<ValueId>(graph.values.size()));
      Value& value = graph.values.emplace_back();
      value.name = array->first;
      value.scope = node.scope;
      value.type = {ValueType::Kind::kTensor, graph.tensors[array->second].dtype};
      model.symbol.auxiliary.push_back(true);
    }
  }
}

void DropLabels(Graph& graph) {
  for (Node& node : graph.nodes) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (IsLabel(node, i)) node.inputs[i] = kNone;
    }
  }
}

// Marks the values that the outputs depend on.
std::vector<bool> Needed(const Graph& graph) {
  std::vector<bool> needed(graph.values.size());
  std::vector<ValueId> open;
  const auto take = [&](const std::vector<ValueId>& values) {
    for (const ValueId value : values) {
      if (value == kNone || needed[value]) continue;
      needed[value] = true;
      open.push_back(value);
    }
  };
  for (const Scope& scope : graph.scopes) take(scope.outputs);
  while (!open.empty()) {
    const NodeId producer = graph.values[open.back()].producer;
    open.pop_back();
    if (producer != kNone) take(graph.nodes[producer].inputs);
  }
  return needed;
}

// Removes inputs that no output depends on and returns their names; unused outputs become kNone.
std::set<std::string> DropUnread(Graph& graph) {
  std::set<std::string> names;
  const std::vector<bool> needed = Needed(graph);
  std::erase_if(graph.scopes[0].inputs, [&](ValueId input) {
    if (!needed[input]) names.emplace(graph.values[input].name);
    return !needed[input];
  });
  for (Node& node : graph.nodes) {
    for (ValueId& output : node.outputs) {
      if (output != kNone && !needed[output]) output = kNone;
    }
  }
  return names;
}

}  // namespace

std::optional<MxnetModel> OpenMxnetToRun(SourceFile symbol, const MxnetCompanions& companions,
                                         Diagnostics& diagnostics) {
  auto read = ReadMxnetSymbol(std::move(symbol), diagnostics);
  auto operators = LoadMxnetOperators(diagnostics);
  if (!read || !operators) return std::nullopt;
  MxnetModel model{
      std::make_unique<MxnetOperators>(std::move(*operators)), std::move(*read), {}, {}, {}};
  if (!companions.params.empty()) {
    auto file = SourceFile::Open(companions.params, diagnostics);
    if (!file) return std::nullopt;
    model.params = ReadMxnetParams(std::move(*file), diagnostics);
    if (!model.params || !AttachParameters(*model.params, true, model.symbol, diagnostics)) {
      return std::nullopt;
    }
    AddStates(model);
  }
  if (!DeclareTypes(companions.types, "--input", model.symbol, diagnostics)) return std::nullopt;
  Graph& graph = model.symbol.graph;
  graph.casts_are_fixed = true;
  NameMxnetOperators(graph, *model.operators);
  model.typing = TypeMxnet(model.symbol, *model.operators);
  for (const TypeProblem& problem : model.typing.problems) {
    diagnostics.Error({.path = model.symbol.file.path()},
                      NodeText(graph, problem.node) + ": " + problem.message);
  }
  if (!model.typing.problems.empty()) return std::nullopt;
  return model;
}

void LeaveOutTraining(MxnetModel& model) {
  Graph& graph = model.symbol.graph;
  const ArrayNumbers arrays = NumbersOf(model.params);
  for (Value& value : graph.values) {
    if (value.producer != kNone || value.tensor != kNone || value.scope != 0) continue;
    const auto array = arrays.find(value.name);
    if (array == arrays.end()) continue;
    value.tensor = array->second;
    value.is_input = false;
  }
  DropLabels(graph);
  model.unread = DropUnread(graph);
}

namespace {

// Returns the shape in "__shape__"; unknown dimensions are not positive. Returns nullopt if there
// is none.
std::optional<Dimensions> SaidShape(const MxnetModel& model, ValueId variable) {
  for (const MxnetEntry& entry : model.symbol.scopes.front().entries) {
    if (entry.node != kNone || entry.first_value != variable) continue;
    const JsonValue* attributes = MxnetAttributes(*entry.json);
    const JsonValue* said = attributes == nullptr ? nullptr : attributes->Find("__shape__");
    if (said == nullptr) return std::nullopt;
    Dimensions shape;
    std::string_view text = said->string;
    while (!text.empty()) {
      const std::size_t digit = text.find_first_of("-0123456789");
      if (digit == std::string_view::npos) break;
      text.remove_prefix(digit);
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error != std::errc()) return std::nullopt;
      shape.push_back(number);
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return shape;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Dimensions> ShapeOfVariable(const MxnetModel& model, ValueId variable) {
  auto shape = SaidShape(model, variable);
  const auto is_open = [](std::int64_t size) { return size <= 0; };
  if (!shape || std::any_of(shape->begin(), shape->end(), is_open)) return std::nullopt;
  return shape;
}

std::string PatternOfVariable(const MxnetModel& model, ValueId variable) {
  std::string text;
  for (const std::int64_t size : SaidShape(model, variable).value_or(Dimensions{})) {
    text += (text.empty() ? "" : ",") + (size > 0 ? std::to_string(size) : "D");
  }
  return text;
}

}  // namespace opledger
