// Only the graph changes; the file's bytes stay.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/sequence_inputs.h"

#include <algorithm>

#include "kernels/model/input_folders.h"

namespace opledger {
namespace {

using Kind = ValueType::Kind;

bool IsListed(Kind kind) {
  return kind == Kind::kSequence || kind == Kind::kOptional || kind == Kind::kOptionalSequence;
}

class SequenceInputs {
 public:
  SequenceInputs(OnnxModel& model, const InputOptions& options, std::deque<std::string>& names)
      : graph_(model.graph), places_(model.places), options_(options), names_(names) {}

  // Returns a message if something is wrong, otherwise an empty string.
  std::string Take(ValueId input);

 private:
  bool IsGiven(std::string_view name, std::string_view as = {}) const;
  ValueId AddInput(std::string name, const ValueType& type);
  void AddNode(std::string_view op, std::vector<ValueId> inputs, ValueId output);

  Graph& graph_;
  OnnxPlaces& places_;
  const InputOptions& options_;
  std::deque<std::string>& names_;
};

// `as`: given exactly as this word. Files of folders may have plain names.
bool SequenceInputs::IsGiven(std::string_view name, std::string_view as) const {
  const std::string file = NpyFileNames({name}).front();
  for (const std::string& given : options_.given) {
    const auto [said, from] = CutAtEquals(given);
    if ((said == name || said + ".npy" == file) && (as.empty() ? from != kEmptyInput : from == as))
      return true;
  }
  return as.empty() && options_.tensors != nullptr &&
         options_.tensors->count(std::string(name)) != 0;
}

ValueId SequenceInputs::AddInput(std::string name, const ValueType& type) {
  Value value;
  value.name = names_.emplace_back(std::move(name));
  value.scope = 0;
  value.is_input = true;
  value.type = {Kind::kTensor, type.dtype};
  graph_.values.push_back(std::move(value));
  places_.declarations.emplace_back();
  const auto id = static_cast<ValueId>(graph_.values.size()) - 1;
  graph_.names[0].emplace(graph_.values.back().name, id);
  return id;
}

void SequenceInputs::AddNode(std::string_view op, std::vector<ValueId> inputs, ValueId output) {
  const auto id = static_cast<NodeId>(graph_.nodes.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    graph_.values[inputs[i]].uses.push_back({id, static_cast<int>(i)});
  }
  Node node;
  node.op = op;
  node.scope = 0;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  graph_.nodes.push_back(std::move(node));
  places_.nodes.push_back(kNone);
  graph_.scopes[0].nodes.insert(graph_.scopes[0].nodes.begin(), id);
  graph_.values[output].producer = id;
  graph_.values[output].is_input = false;
}

std::string SequenceInputs::Take(ValueId input) {
  const ValueType type = graph_.values[input].type;
  const std::string name(graph_.values[input].name);
  std::vector<ValueId>& inputs = graph_.scopes[0].inputs;
  const auto at = std::find(inputs.begin(), inputs.end(), input) - inputs.begin();
  const bool is_empty = IsGiven(name, kEmptyInput);
  std::size_t count = 0;
  while (type.kind != Kind::kOptional && IsGiven(ElementName(name, count))) ++count;
  if (is_empty && (count > 0 || IsGiven(name))) {
    return "the input '" + name +
           "' is given both as empty and with elements: leave out one of the two";
  }
  if (is_empty) {
    inputs.erase(inputs.begin() + at);
    AddNode(type.kind == Kind::kSequence ? "SequenceEmpty" : "Optional", {}, input);
    return {};
  }
  // An optional with its tensor, or a missing input, which is reported when inputs are taken.
  if (count == 0) {
    if (type.kind == Kind::kOptional && IsGiven(name))
      graph_.values[input].type.kind = Kind::kTensor;
    return {};
  }
  std::vector<ValueId> elements;
  for (std::size_t i = 0; i < count; ++i) {
    std::string element = ElementName(name, i);
    if (graph_.Find(0, element) != kNone) {
      return "an element of the input '" + name + "' would have the same name as the value '" +
             element + "': rename one of them";
    }
    elements.push_back(AddInput(std::move(element), type));
  }
  inputs.erase(inputs.begin() + at);
  inputs.insert(inputs.begin() + at, elements.begin(), elements.end());
  AddNode("SequenceConstruct", std::move(elements), input);
  return {};
}

}  // namespace

std::string ElementName(std::string_view sequence, std::size_t element) {
  return std::string(sequence) + "." + std::to_string(element);
}

bool TakeSequenceInputs(OnnxModel& model, const InputOptions& options,
                        std::deque<std::string>& names, Diagnostics& diagnostics) {
  SequenceInputs taker(model, options, names);
  for (const ValueId input : RequiredInputs(model.graph)) {
    if (!IsListed(model.graph.values[input].type.kind)) continue;
    const std::string problem = taker.Take(input);
    if (problem.empty()) continue;
    diagnostics.Error({.path = model.file.path()}, problem);
    return false;
  }
  return true;
}

}  // namespace opledger
