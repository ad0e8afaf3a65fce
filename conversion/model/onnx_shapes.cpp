// ValueInfoProto: 2 type; TypeProto: 1 tensor_type; its 2 shape; TensorShapeProto: 1 dim; its
// 1 dim_value, 2 dim_param.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/onnx_shapes.h"

#include "conversion/model/wire.h"

namespace opledger {
namespace {

// The body of the last field `number` that is a message; none: there is no such.
std::optional<Span> FindMessage(std::string_view file, Span message, std::uint32_t number) {
  std::optional<Span> found;
  WireReader reader(file, message);
  WireField field;
  while (reader.Next(field)) {
    if (field.number == number && field.type == WireType::kBytes) found = field.body;
  }
  return found;
}

std::optional<std::uint64_t> ElementsOf(std::string_view file, Span value_info) {
  const auto type = FindMessage(file, value_info, 2);
  const auto tensor = type ? FindMessage(file, *type, 1) : std::nullopt;
  const auto shape = tensor ? FindMessage(file, *tensor, 2) : std::nullopt;
  if (!shape) return std::nullopt;
  std::uint64_t elements = 1;
  WireReader dimensions(file, *shape);
  WireField dimension;
  while (dimensions.Next(dimension)) {
    if (dimension.number != 1 || dimension.type != WireType::kBytes) continue;
    bool known = false;
    WireReader reader(file, dimension.body);
    WireField field;
    while (reader.Next(field)) {
      if (field.number != 1 || field.type != WireType::kVarint) continue;
      known = static_cast<std::int64_t>(field.value) >= 0 &&
              !__builtin_mul_overflow(elements, field.value, &elements);
      break;
    }
    if (!known) return std::nullopt;
  }
  return elements;
}

}  // namespace

std::vector<std::optional<std::uint64_t>> DeclaredElements(const OnnxModel& model) {
  const std::string_view file = model.file.bytes();
  const Graph& graph = model.graph;
  std::vector<std::optional<std::uint64_t>> elements(graph.values.size());
  const auto note = [&](ValueId value, FrameId frame) {
    if (!elements[value]) elements[value] = ElementsOf(file, model.places.frames[frame].body);
  };
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    for (const FrameId frame : model.places.declarations[id]) note(static_cast<ValueId>(id), frame);
  }
  for (std::size_t id = 0; id < graph.scopes.size(); ++id) {
    const Scope& scope = graph.scopes[id];
    if (scope.function != kNone) continue;  // its outputs are names only
    for (std::size_t i = 0; i < scope.outputs.size(); ++i) {
      if (scope.outputs[i] != kNone) note(scope.outputs[i], model.places.outputs[id][i]);
    }
  }
  return elements;
}

}  // namespace opledger
