// Reads list attributes from the file. Infers shapes only if a condition is on an input.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/label_onnx.h"

#include <charconv>

#include "conversion/model/onnx/attribute_values.h"
#include "conversion/place/tensor_sizes.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

std::string FloatText(float number) {
  Attribute attribute;
  attribute.kind = Attribute::Kind::kFloat;
  attribute.number = number;
  return AttributeText(attribute);
}

// "[3, 3]"
std::string ListText(const OnnxModel& model, NodeId node, std::string_view name) {
  std::string text = Join(AttributeIntegers(model, node, name), ", ",
                          [](std::int64_t number) { return std::to_string(number); });
  if (text.empty()) text = Join(AttributeFloats(model, node, name), ", ", FloatText);
  if (text.empty()) text = Join(AttributeStrings(model, node, name), ", ");
  return "[" + text + "]";
}

std::map<std::string, Shape> ShapesOf(const std::vector<std::string>& input_shapes) {
  std::map<std::string, Shape> shapes;
  for (const std::string& given : input_shapes) {
    const std::size_t equals = std::min(given.rfind('='), given.size());
    Shape shape;
    for (const std::string_view word : SplitAt(std::string_view(given).substr(equals), ',')) {
      const std::string_view digits = word.starts_with('=') ? word.substr(1) : word;
      std::int64_t number = 0;
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      const bool good = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
      if (good && number >= 0 && number <= kMaxDimension) shape.push_back(number);
    }
    if (!shape.empty()) shapes[given.substr(0, equals)] = shape;
  }
  return shapes;
}

}  // namespace

ConditionFacts OnnxFacts(const OnnxModel& model, const AskedFacts* asked,
                         const std::vector<std::string>& input_shapes) {
  const Graph& graph = model.graph;
  ConditionFacts facts;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    const Node& node = graph.nodes[id];
    if (asked != nullptr && !asked->Asks(node)) continue;
    for (const Attribute& attribute : node.attributes) {
      if (attribute.kind != Attribute::Kind::kList) continue;
      facts.lists[{id, std::string(attribute.name)}] = ListText(model, id, attribute.name);
    }
  }
  if (asked != nullptr && !asked->inputs) return facts;
  facts.dimensions = FindDimensions(model, ShapesOf(input_shapes));
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    facts.initializers.push_back(IsParameter(graph, value));
    if (value.tensor != kNone && !facts.dimensions[id]) {
      const auto& known = graph.tensors[value.tensor].dimensions;
      facts.dimensions[id] = KnownDimensions(known.begin(), known.end());
    }
  }
  return facts;
}

std::vector<NodeLabel> LabelOnnx(const OnnxModel& model, const Typing& typing,
                                 const Settings& settings) {
  const AskedFacts asked(settings.list());
  const ConditionFacts facts = OnnxFacts(model, &asked, settings.options().input_shapes);
  return LabelNodes(model.graph, typing, settings.label_options(), &facts);
}

}  // namespace opledger
