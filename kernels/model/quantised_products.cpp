// Scales and zero points are initializers, so that nobody has to know what the nodes before give.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/quantised_products.h"

#include <algorithm>
#include <utility>

namespace opledger {
namespace {

const Tensor* TensorOf(const Graph& graph, ValueId value) {
  const TensorId tensor = value == kNone ? kNone : graph.values[value].tensor;
  const bool known = tensor != kNone && !graph.values[value].is_input;
  return known ? &graph.tensors[tensor] : nullptr;
}

// Whether a tensor has one number, or one for each column of the matrix `bytes`.
bool IsForAllOrColumns(const Tensor& tensor, const Tensor* bytes, std::int64_t axis,
                       bool by_column) {
  if (tensor.elements == 1) return tensor.dimensions.size() <= 1;
  return by_column && bytes != nullptr && bytes->dimensions.size() == 2 &&
         (axis == 1 || axis == -1) && tensor.dimensions.size() == 1 &&
         tensor.dimensions[0] == bytes->dimensions[1];
}

// Whether a node takes bytes to numbers or numbers to bytes by one number of each kind that is
// known, or by one for each column.
bool IsScaled(const Graph& graph, const Node& node, std::string_view op, bool by_column) {
  const bool is_plain = node.op == op && node.domain.empty() && node.inputs.size() == 3 &&
                        node.Find("block_size") == nullptr && node.Find("precision") == nullptr &&
                        node.Find("output_dtype") == nullptr;
  if (!is_plain) return false;
  const Tensor* bytes = TensorOf(graph, node.inputs[0]);
  const Tensor* scale = TensorOf(graph, node.inputs[1]);
  const Tensor* zero_point = TensorOf(graph, node.inputs[2]);
  if (scale == nullptr || zero_point == nullptr || scale->dtype != Dtype::kFloat32) return false;
  const bool of_bytes = zero_point->dtype == Dtype::kInt8 || zero_point->dtype == Dtype::kUint8;
  const Attribute* given = node.Find("axis");
  const std::int64_t axis = given == nullptr ? 1 : given->integer;
  return of_bytes && IsForAllOrColumns(*scale, bytes, axis, by_column) &&
         IsForAllOrColumns(*zero_point, bytes, axis, by_column);
}

// The node that gives a factor of bytes; null: there is none.
const Node* Dequantises(const Graph& graph, ValueId factor, ScopeId scope, bool by_column) {
  const NodeId id = factor == kNone ? kNone : graph.values[factor].producer;
  if (id == kNone || graph.nodes[id].scope != scope) return nullptr;
  const bool does = IsScaled(graph, graph.nodes[id], "DequantizeLinear", by_column);
  return does ? &graph.nodes[id] : nullptr;
}

// The node that alone reads a value and makes bytes of it; null: there is none.
Node* Quantises(Graph& graph, ValueId value, ScopeId scope) {
  const std::vector<Use>& uses = graph.values[value].uses;
  const std::vector<ValueId>& outputs = graph.scopes[scope].outputs;
  const bool is_output = std::find(outputs.begin(), outputs.end(), value) != outputs.end();
  if (uses.size() != 1 || uses[0].input != 0 || is_output) return nullptr;
  Node& reader = graph.nodes[uses[0].node];
  const bool does = reader.scope == scope && reader.outputs.size() == 1 &&
                    reader.outputs[0] != kNone && IsScaled(graph, reader, "QuantizeLinear", false);
  return does ? &reader : nullptr;
}

// Whether a node's scale and zero point have no dimension, which the product of two vectors has
// not.
bool HasScalars(const Graph& graph, const Node& node) {
  return TensorOf(graph, node.inputs[1])->dimensions.empty() &&
         TensorOf(graph, node.inputs[2])->dimensions.empty();
}

bool Multiply(Graph& graph, NodeId id) {
  Node& node = graph.nodes[id];
  const bool is_product = node.op == "MatMul" && node.domain.empty() && node.inputs.size() == 2 &&
                          node.outputs.size() == 1 && node.outputs[0] != kNone;
  if (!is_product) return false;
  const Node* a = Dequantises(graph, node.inputs[0], node.scope, false);
  const Node* b = Dequantises(graph, node.inputs[1], node.scope, true);
  if (a == nullptr || b == nullptr) return false;
  const Tensor* right = TensorOf(graph, b->inputs[0]);
  const bool has_columns = right != nullptr && right->dimensions.size() >= 2;
  if (!has_columns && !(HasScalars(graph, *a) && HasScalars(graph, *b))) return false;
  Node* reader = Quantises(graph, node.outputs[0], node.scope);
  if (reader != nullptr && !has_columns && !HasScalars(graph, *reader)) reader = nullptr;
  if (reader == nullptr) {
    node.op = "MatMulIntegerToFloat";
    node.domain = "com.microsoft";
    node.inputs = {a->inputs[0], b->inputs[0], a->inputs[1],
                   b->inputs[1], a->inputs[2], b->inputs[2]};
    return true;
  }
  node.op = "QLinearMatMul";
  node.inputs = a->inputs;
  node.inputs.insert(node.inputs.end(), b->inputs.begin(), b->inputs.end());
  node.inputs.insert(node.inputs.end(), reader->inputs.begin() + 1, reader->inputs.end());
  graph.values[node.outputs[0]].producer = kNone;
  node.outputs = std::exchange(reader->outputs, {});
  graph.values[node.outputs[0]].producer = id;
  return true;
}

}  // namespace

bool MultiplyBytes(RunnableModel& model) {
  if (model.onnx == nullptr) return false;
  bool any = false;
  for (std::size_t id = 0; id < model.onnx->graph.nodes.size(); ++id) {
    any = Multiply(model.onnx->graph, static_cast<NodeId>(id)) || any;
  }
  return any;
}

}  // namespace opledger
