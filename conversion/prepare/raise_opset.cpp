// Takes a node through the versions of its operator one by one, then writes the result.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/raise_opset.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "conversion/edit/edit.h"
#include "conversion/model/chains/dimensions.h"
#include "conversion/model/graph/types.h"
#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/onnx/message_edits.h"
#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/tensor_data.h"

namespace opledger {
namespace {

// A node while it is being raised.
struct Raised {
  std::string op;
  std::vector<std::string> inputs;
  std::set<std::string> removed;                           // attributes
  std::map<std::string, std::string> texts;                // new string attributes
  std::map<std::string, std::int64_t> integers;            // new integer attributes
  std::vector<std::pair<std::string, std::string>> added;  // Constants: output, attribute
};

template <typename T>
std::string RawBytes(const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

// Computes the dimensions of values when they are first needed.
class DimensionsOnce {
 public:
  explicit DimensionsOnce(const OnnxModel& model) : model_(model) {}

  const std::optional<Dimensions>& Of(ValueId value) {
    if (values_.empty()) values_ = FindDimensions(model_);
    return values_[value];
  }

 private:
  const OnnxModel& model_;
  std::vector<std::optional<Dimensions>> values_;
};

class NodeRaiser {
 public:
  NodeRaiser(const OnnxModel& model, NodeId id, DimensionsOnce& dimensions, FreshNames& fresh)
      : model_(model),
        graph_(model.graph),
        id_(id),
        node_(graph_.nodes[id]),
        dimensions_(dimensions),
        fresh_(fresh) {
    raised_.op = std::string(node_.op);
    for (const ValueId input : node_.inputs) {
      raised_.inputs.emplace_back(input == kNone ? std::string_view() : graph_.values[input].name);
    }
  }

  const Raised& raised() const { return raised_; }
  // A changed input always comes with an added Constant, so inputs need no check.
  bool Changed() const {
    return raised_.op != node_.op || !raised_.removed.empty() || !raised_.texts.empty() ||
           !raised_.integers.empty() || !raised_.added.empty();
  }

  // Applies a step. Returns what prevents it, or an empty string. `before`: the version to leave.
  std::string Apply(const OpsetStep& step, const Signature& before) {
    std::string obstacle = CheckAttributes(step, before);
    if (obstacle.empty()) obstacle = CheckOutputs(step);
    if (obstacle.empty() && step.upscales) obstacle = CheckScales();
    if (obstacle.empty() && !step.last_axis.empty()) obstacle = CheckLastAxis(step.last_axis);
    for (std::size_t i = 0; obstacle.empty() && i < step.inputs.size(); ++i) {
      obstacle = AddInput(step.inputs[i]);
    }
    if (!obstacle.empty()) return obstacle;
    RewriteAttributes(step);
    if (!step.new_operator.empty()) raised_.op = step.new_operator;
    return {};
  }

 private:
  static std::string FromFunction(const std::string& attribute) {
    return "its attribute '" + attribute + "' comes from the call of a function";
  }

  bool IsReference(const std::string& attribute) const {
    const Attribute* found = node_.Find(attribute);
    return found != nullptr && found->kind == Attribute::Kind::kReference;
  }

  // Returns an attribute's value, or its default if it is absent.
  std::string Says(const std::string& name, const Signature& signature) const {
    const Attribute* attribute = node_.Find(name);
    if (attribute != nullptr && attribute->kind == Attribute::Kind::kInt) {
      return std::to_string(attribute->integer);
    }
    if (attribute != nullptr) return std::string(attribute->text);
    const auto fallback = signature.defaults.find(name);
    return fallback == signature.defaults.end() ? std::string() : fallback->second;
  }

  std::string CheckAttributes(const OpsetStep& step, const Signature& before) const {
    for (const auto& [name, values] : step.only) {
      if (raised_.texts.contains(name)) continue;  // an earlier step wrote it
      if (IsReference(name)) return FromFunction(name);
      const std::string text = Says(name, before);
      if (std::find(values.begin(), values.end(), text) == values.end()) {
        return "its attribute '" + name + "' is '" + text + "'";
      }
    }
    for (const auto& [name, texts] : step.values) {
      if (IsReference(name)) return FromFunction(name);
    }
    return {};
  }

  std::string CheckOutputs(const OpsetStep& step) const {
    if (!step.unused_outputs) return {};
    for (std::size_t i = *step.unused_outputs; i < node_.outputs.size(); ++i) {
      const ValueId output = node_.outputs[i];
      if (output == kNone) continue;
      const std::vector<ValueId>& results = graph_.scopes[node_.scope].outputs;
      if (!graph_.values[output].uses.empty() ||
          std::find(results.begin(), results.end(), output) != results.end()) {
        return "its output " + std::to_string(i) + " is used";
      }
    }
    return {};
  }

  std::string CheckScales() const {
    std::string obstacle = "its scales are not known to be at least 1";
    if (node_.op == "Upsample") return {};  // Upsample never shrinks anything
    if (node_.inputs.size() < 2) return obstacle;
    const auto scales = ParameterNumbers<float>(model_, node_.inputs[1], Dtype::kFloat32);
    const bool known = scales && std::all_of(scales->begin(), scales->end(),
                                             [](float scale) { return scale >= 1; });
    return known ? "" : obstacle;
  }

  // Before version 13, the softmax operators flattened all axes from `axis` on.
  std::string CheckLastAxis(const std::string& name) {
    if (IsReference(name)) return FromFunction(name);
    const Attribute* attribute = node_.Find(name);
    std::int64_t axis = attribute == nullptr ? 1 : attribute->integer;
    if (axis == -1) return {};
    std::optional<Dimensions> dimensions;
    if (!node_.inputs.empty() && node_.inputs[0] != kNone) {
      dimensions = dimensions_.Of(node_.inputs[0]);
    }
    if (!dimensions && !node_.outputs.empty() && node_.outputs[0] != kNone) {
      dimensions = dimensions_.Of(node_.outputs[0]);
    }
    if (!dimensions) return "the rank of its input is unknown";
    const auto rank = static_cast<std::int64_t>(dimensions->size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return "its axis is out of range";
    for (std::int64_t i = axis + 1; i < rank; ++i) {
      if ((*dimensions)[i] != 1) return "its axis is not the last one";
    }
    if (attribute == nullptr) {
      raised_.integers[name] = axis;
    }
    return {};
  }

  std::string AddInput(const OpsetStep::Input& input) {
    Dtype dtype = input.type == "int64" ? Dtype::kInt64 : Dtype::kFloat32;
    if (input.type == "input") {
      const ValueId first = node_.inputs.empty() ? kNone : node_.inputs[0];
      const auto found = first == kNone ? std::nullopt : graph_.values[first].type.dtype;
      if (!found || (*found != Dtype::kFloat32 && *found != Dtype::kFloat64)) {
        return node_.Find(input.attribute) == nullptr
                   ? ""
                   : "its attribute '" + input.attribute +
                         "' becomes an input, which is supported only for float32 and float64";
      }
      dtype = *found;
    }
    std::string value;
    if (input.attribute.empty()) {
      value = ValueAttribute(dtype, false, 0, {});
    } else if (node_.Find(input.attribute) == nullptr) {
      if (!input.fallback) return {};
      value = ValueAttribute(dtype, input.scalar, 1, RawBytes<std::int64_t>({*input.fallback}));
    } else {
      if (IsReference(input.attribute)) return FromFunction(input.attribute);
      value = AttributeNumbers(input, dtype);
      raised_.removed.insert(input.attribute);
      if (value.empty()) return {};  // an empty list means the same as an absent input
    }
    const std::string stem = node_.outputs.empty() || node_.outputs[0] == kNone
                                 ? std::string(node_.name)
                                 : std::string(graph_.values[node_.outputs[0]].name);
    const std::string name =
        fresh_.Make(stem + "_" + (input.attribute.empty() ? "none" : input.attribute));
    raised_.added.emplace_back(name, std::move(value));
    PlaceInput(input, name);
    return {};
  }

  void PlaceInput(const OpsetStep::Input& input, const std::string& name) {
    if (raised_.inputs.size() < input.input) raised_.inputs.resize(input.input);
    if (input.shift || raised_.inputs.size() == input.input) {
      raised_.inputs.insert(raised_.inputs.begin() + static_cast<std::ptrdiff_t>(input.input),
                            name);
    } else {
      raised_.inputs[input.input] = name;
    }
  }

  // Returns the attribute's elements as the value of a Constant. Empty if it is an empty list.
  std::string AttributeNumbers(const OpsetStep::Input& input, Dtype dtype) const {
    const Attribute& attribute = *node_.Find(input.attribute);
    if (dtype == Dtype::kInt64) {
      std::vector<std::int64_t> numbers = {attribute.integer};
      if (attribute.kind == Attribute::Kind::kList) {
        numbers = AttributeIntegers(model_, id_, input.attribute);
      }
      if (numbers.empty()) return {};
      return ValueAttribute(dtype, input.scalar, numbers.size(), RawBytes(numbers));
    }
    std::vector<float> numbers = {attribute.number};
    if (attribute.kind == Attribute::Kind::kList) {
      numbers = AttributeFloats(model_, id_, input.attribute);
    }
    if (numbers.empty()) return {};
    const std::vector<double> doubles(numbers.begin(), numbers.end());
    return ValueAttribute(dtype, input.scalar, numbers.size(),
                          dtype == Dtype::kFloat64 ? RawBytes(doubles) : RawBytes(numbers));
  }

  void RewriteAttributes(const OpsetStep& step) {
    for (const auto& [name, texts] : step.values) {
      const Attribute* attribute = node_.Find(name);
      if (attribute == nullptr) continue;
      const auto found = texts.find(std::string(attribute->text));
      if (found == texts.end()) continue;
      raised_.removed.insert(name);
      raised_.texts[name] = found->second;
    }
    for (const auto& [name, text] : step.write) {
      raised_.texts[name] = text;
    }
    for (const std::string& name : step.remove) {
      if (node_.Find(name) == nullptr) continue;
      raised_.removed.insert(name);
    }
    const bool absent = raised_.inputs.size() < 2 || raised_.inputs[1].empty();
    if (!step.count_outputs.empty() && absent) {
      raised_.integers[step.count_outputs] = static_cast<std::int64_t>(node_.outputs.size());
    }
  }

  const OnnxModel& model_;
  const Graph& graph_;
  const NodeId id_;
  const Node& node_;
  DimensionsOnce& dimensions_;
  FreshNames& fresh_;
  Raised raised_;
};

std::string ConstantNode(const std::string& output, const std::string& value) {
  std::string node;
  AppendBytesField(node, node_field::kOutput, output);
  AppendBytesField(node, node_field::kName, output);
  AppendBytesField(node, node_field::kOpType, "Constant");
  AppendBytesField(node, node_field::kAttribute, value);
  return node;
}

// Returns the NodeProto with the changes; other fields stay as they are.
std::string RaisedNode(const OnnxModel& model, NodeId id, const Raised& raised) {
  const std::string_view file = model.file.bytes();
  std::string node;
  for (const std::string& input : raised.inputs) AppendBytesField(node, node_field::kInput, input);
  for (const WireField& field : model.Fields(model.places.nodes[id])) {
    if (field.IsBytes(node_field::kInput)) continue;
    if (field.IsBytes(node_field::kOpType)) {
      AppendBytesField(node, node_field::kOpType, raised.op);
      continue;
    }
    const bool gone = field.IsBytes(node_field::kAttribute) &&
                      raised.removed.contains(std::string(AttributeName(file, field.body)));
    if (!gone) node += file.substr(field.whole.begin, field.whole.size());
  }
  for (const auto& [name, text] : raised.texts) {
    std::string attribute;
    AppendBytesField(attribute, attribute_field::kName, name);
    AppendBytesField(attribute, attribute_field::kString, text);
    AppendVarintField(attribute, attribute_field::kType, attribute_type::kString);
    AppendBytesField(node, node_field::kAttribute, attribute);
  }
  for (const auto& [name, integer] : raised.integers) {
    AppendBytesField(node, node_field::kAttribute, IntegerAttribute(name, integer));
  }
  return node;
}

// Sets the opset imports of the default domain in a ModelProto or FunctionProto to `to`, unless
// they are newer.
void RaiseImports(std::string_view file, WireFields fields, std::uint32_t number, MessageId frame,
                  std::int64_t to, MessageEdits& edits) {
  for (const WireField& import : fields) {
    if (!import.IsBytes(number)) continue;
    std::string_view domain;
    std::int64_t version = 0;
    for (const WireField& field : WireFields(file, import.body)) {
      if (field.IsBytes(opset_field::kDomain)) {
        domain = file.substr(field.body.begin, field.body.size());
      }
      if (field.IsVarint(opset_field::kVersion)) version = static_cast<std::int64_t>(field.value);
    }
    if (!PlainDomain(domain).empty() || version >= to) continue;
    std::string text;
    if (!domain.empty()) AppendBytesField(text, opset_field::kDomain, domain);
    AppendVarintField(text, opset_field::kVersion, static_cast<std::uint64_t>(to));
    NewBytes bytes;
    AppendBytesField(bytes.bytes, number, text);
    edits.Replace(frame, import.whole, std::move(bytes));
  }
}

// Takes a node through the versions of its operator. Returns the obstacle, or an empty string.
std::string RaiseNode(const Node& node, NodeRaiser& raiser, Signatures& signatures,
                      const OpsetSteps& steps, std::int64_t from, std::int64_t to) {
  const Signature* signature = signatures.Find("", node.op, from);
  if (signature == nullptr) return "its operator is unknown";
  for (std::int64_t opset = from + 1; opset <= to; ++opset) {
    const std::string op = raiser.raised().op;
    const Signature* next = signatures.Find("", op, opset);
    if (next == signature) continue;
    const int since = next == nullptr ? static_cast<int>(opset) : next->since;
    const OpsetStep* step = steps.Find(op, since);
    if (step == nullptr) {
      return "it is not known whether version " + std::to_string(since) + " of " + op +
             " computes what version " + std::to_string(signature->since) + " does";
    }
    std::string obstacle = raiser.Apply(*step, *signature);
    if (!obstacle.empty()) return obstacle;
    signature = step->new_operator.empty() ? next : signatures.Find("", step->new_operator, opset);
    if (signature == nullptr) return "its operator is unknown";
  }
  return {};
}

}  // namespace

RaisedOpset RaiseOpset(const OnnxModel& model, Signatures& signatures, const OpsetSteps& steps,
                       std::int64_t to) {
  const Graph& graph = model.graph;
  MessageEdits edits(model.places.messages);
  FreshNames fresh(graph);
  DimensionsOnce dimensions(model);
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    const Node& node = graph.nodes[id];
    if (!node.domain.empty() || graph.Called(node) != kNone) continue;
    NodeRaiser raiser(model, id, dimensions, fresh);
    std::string obstacle =
        RaiseNode(node, raiser, signatures, steps, graph.OpsetIn(node.scope), to);
    if (!obstacle.empty()) return {std::nullopt, NodeText(graph, id) + ": " + obstacle};
    if (!raiser.Changed()) continue;
    const Raised& raised = raiser.raised();
    NewBytes bytes;
    const std::uint32_t field = NodeFieldOf(graph, node.scope);
    for (const auto& [output, value] : raised.added) {
      AppendBytesField(bytes.bytes, field, ConstantNode(output, value));
    }
    AppendBytesField(bytes.bytes, field, RaisedNode(model, id, raised));
    const MessageSpan& place = model.places.messages[model.places.nodes[id]];
    edits.Replace(place.parent, place.whole, std::move(bytes));
  }
  const std::string_view file = model.file.bytes();
  RaiseImports(file, WireFields(file, {0, file.size()}), model_field::kOpsetImport, kNone, to,
               edits);
  for (const Function& function : graph.functions) {
    const MessageId frame = model.places.scopes[function.body];
    RaiseImports(file, model.Fields(frame), function_field::kOpsetImport, frame, to, edits);
  }
  return {edits.Finish(), {}};
}

}  // namespace opledger
