// Reads declarations first, then visits nodes in file order.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/operators/shapes.h"

#include <algorithm>
#include <cstring>

#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

constexpr std::uint64_t kMaxIntegers = 64;
constexpr int kPasses = 2;  // inner graphs may precede the values that they capture

DeclaredDimension ReadDimension(std::string_view file, Span message) {
  DeclaredDimension dimension;
  for (const WireField& field : WireFields(file, message)) {
    const auto value = static_cast<std::int64_t>(field.value);
    const bool number = field.IsVarint(dimension_field::kNumber);
    if (number && value >= 0 && value <= kMaxDimension) dimension.number = value;
    if (field.IsBytes(dimension_field::kName)) {
      dimension.name = std::string(file.substr(field.body.begin, field.body.size()));
    }
  }
  return dimension;
}

// Follows nested message fields. Returns nullopt if one is missing.
std::optional<Span> Descend(std::string_view file, Span message,
                            std::initializer_list<std::uint32_t> fields) {
  for (const std::uint32_t number : fields) {
    std::optional<Span> found;
    for (const WireField& field : WireFields(file, message)) {
      if (field.IsBytes(number)) found = field.body;
    }
    if (!found) return std::nullopt;
    message = *found;
  }
  return message;
}

// Characters of names that need no quoting in a list or a shell.
bool IsOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class ShapeInference {
 public:
  ShapeInference(const OnnxModel& model, Diagnostics& diagnostics)
      : model_(model), graph_(model.graph), diagnostics_(diagnostics) {
    shapes_.values.resize(graph_.values.size());
  }

  std::optional<Shapes> Run(const std::map<std::string, Shape>& inputs) {
    for (const auto& [name, shape] : inputs) {
      if (!Bind(name, shape)) return std::nullopt;
    }
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      for (const MessageId frame : model_.places.declarations[id]) {
        Declare(static_cast<ValueId>(id), frame);
      }
    }
    for (std::size_t id = 0; id < graph_.scopes.size(); ++id) {
      const Scope& scope = graph_.scopes[id];
      for (std::size_t i = 0; scope.function == kNone && i < scope.outputs.size(); ++i) {
        if (scope.outputs[i] != kNone) Declare(scope.outputs[i], model_.places.outputs[id][i]);
      }
    }
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      const TensorId tensor = graph_.values[id].tensor;
      if (tensor != kNone && !graph_.values[id].is_input)
        Constant(static_cast<ValueId>(id), tensor);
    }
    for (int pass = 0; pass < kPasses; ++pass) {
      for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) Infer(id);
    }
    return std::move(shapes_);
  }

 private:
  bool Fail(const std::string& message, const std::string& hint) {
    return diagnostics_.Error({.path = model_.file.path()}, message, hint);
  }

  bool Bind(const std::string& name, const Shape& shape) {
    const ValueId id = graph_.Find(0, name);
    if (id == kNone || !graph_.values[id].is_input) {
      return Fail("the model has no input '" + name + "'",
                  "give --input-shape the name of an input: NAME=D,D");
    }
    for (const MessageId frame : model_.places.declarations[id]) {
      const auto declared = DeclaredShape(model_, frame);
      if (!declared) continue;
      const std::string hint = "give --input-shape a shape that the model declares";
      if (declared->size() != shape.size()) {
        return Fail("input '" + name + "' has " + std::to_string(declared->size()) +
                        " dimensions, not " + std::to_string(shape.size()),
                    hint);
      }
      for (std::size_t i = 0; i < shape.size(); ++i) {
        const DeclaredDimension& dimension = (*declared)[i];
        const auto named =
            dimension.name.empty() ? names_.end() : names_.emplace(dimension.name, shape[i]).first;
        const bool other = named != names_.end() && named->second != shape[i];
        if (dimension.number.value_or(shape[i]) == shape[i] && !other) continue;
        return Fail("dimension " + std::to_string(i) + " of input '" + name + "' is " +
                        std::to_string(dimension.number ? *dimension.number : named->second) +
                        ", not " + std::to_string(shape[i]),
                    hint);
      }
    }
    shapes_.values[id] = shape;
    return true;
  }

  void Declare(ValueId id, MessageId frame) {
    if (shapes_.values[id]) return;
    const auto declared = DeclaredShape(model_, frame);
    if (!declared) return;
    Shape shape;
    for (const DeclaredDimension& dimension : *declared) {
      const auto named = names_.find(dimension.name);
      if (!dimension.number && named == names_.end()) return;
      shape.push_back(dimension.number ? *dimension.number : named->second);
    }
    shapes_.values[id] = std::move(shape);
  }

  void Constant(ValueId id, TensorId tensor_id) {
    const Tensor& tensor = graph_.tensors[tensor_id];
    if (tensor.sparse) return;  // its dimensions are those of its values
    for (const std::int64_t dimension : tensor.dimensions) {
      if (dimension < 0 || dimension > kMaxDimension) return;
    }
    shapes_.values[id] = tensor.dimensions;
    if (tensor.dtype != Dtype::kInt64 || tensor.elements > kMaxIntegers) return;
    const auto bytes = TensorBytes(model_, tensor_id);
    if (!bytes) return;
    std::vector<std::int64_t> integers(tensor.elements);
    if (!bytes->empty()) std::memcpy(integers.data(), bytes->data(), bytes->size());
    shapes_.integers[id] = std::move(integers);
  }

  void Infer(NodeId id) {
    const Node& node = graph_.nodes[id];
    if (node.op == "Constant" && node.domain.empty() && node.outputs.size() == 1 &&
        node.outputs[0] != kNone) {
      const Attribute* value = node.Find("value");
      const Attribute* number = node.Find("value_int");
      if (value != nullptr && value->tensor != kNone)
        return Constant(node.outputs[0], value->tensor);
      if (number != nullptr) shapes_.integers[node.outputs[0]] = {number->integer};
      const auto list = AttributeIntegers(model_, id, "value_ints");
      if (!list.empty()) {
        shapes_.integers[node.outputs[0]] = list;
        shapes_.values[node.outputs[0]] = Shape{static_cast<std::int64_t>(list.size())};
        return;
      }
      for (const Attribute& attribute : node.attributes) {
        const bool one = attribute.kind == Attribute::Kind::kList && attribute.length > 0;
        const Shape shape = one ? Shape{static_cast<std::int64_t>(attribute.length)} : Shape{};
        shapes_.values[node.outputs[0]] = shape;
      }
      return;
    }
    ApplyShapeRule(model_, id, shapes_);
  }

  const OnnxModel& model_;
  const Graph& graph_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::int64_t> names_;  // of dimensions
  Shapes shapes_;
};

}  // namespace

// ValueInfoProto: type, tensor_type, shape; its dim.
std::optional<std::vector<DeclaredDimension>> DeclaredShape(const OnnxModel& model,
                                                            MessageId frame) {
  const std::string_view file = model.file.bytes();
  const auto shape =
      Descend(file, model.places.messages[frame].body,
              {value_info_field::kType, type_field::kTensor, tensor_type_field::kShape});
  if (!shape) return std::nullopt;
  std::vector<DeclaredDimension> dimensions;
  for (const WireField& field : WireFields(file, *shape)) {
    if (!field.IsBytes(shape_field::kDimension)) continue;
    dimensions.push_back(ReadDimension(file, field.body));
  }
  return dimensions;
}

std::optional<std::uint64_t> Shapes::Elements(ValueId value) const {
  if (!values[value]) return std::nullopt;
  std::uint64_t elements = 1;
  for (const std::int64_t dimension : *values[value]) {
    if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(dimension), &elements)) {
      return std::nullopt;
    }
  }
  return elements;
}

std::string DeclaredDimensions(const OnnxModel& model, ValueId input) {
  std::string text;
  for (const MessageId frame : model.places.declarations[input]) {
    const auto declared = DeclaredShape(model, frame);
    if (!declared) continue;
    for (const DeclaredDimension& dimension : *declared) {
      const bool plain = !dimension.name.empty() && dimension.name.size() <= 40 &&
                         std::all_of(dimension.name.begin(), dimension.name.end(), IsOfName);
      text += text.empty() ? "" : ",";
      text += dimension.number ? std::to_string(*dimension.number) : plain ? dimension.name : "D";
    }
    return text;
  }
  return text;
}

std::optional<Shapes> InferShapes(const OnnxModel& model,
                                  const std::map<std::string, Shape>& inputs,
                                  Diagnostics& diagnostics) {
  return ShapeInference(model, diagnostics).Run(inputs);
}

}  // namespace opledger
