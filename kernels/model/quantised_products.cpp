// Scales and zero points are initializers, so the producers' values need not be known.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/quantised_products.h"

#include <algorithm>
#include <utility>

#include "conversion/model/onnx/attribute_values.h"
#include "kernels/kernel/narrow_products.h"

namespace opledger {
namespace {

const Tensor* TensorOf(const Graph& graph, ValueId value) {
  const TensorId tensor = value == kNone ? kNone : graph.values[value].tensor;
  const bool known = tensor != kNone && !graph.values[value].is_input;
  return known ? &graph.tensors[tensor] : nullptr;
}

// Returns whether a tensor has one element, or one for each column of the matrix `bytes`.
bool IsForAllOrColumns(const Tensor& tensor, const Tensor* bytes, std::int64_t axis,
                       bool by_column) {
  if (tensor.elements == 1) return tensor.dimensions.size() <= 1;
  return by_column && bytes != nullptr && bytes->dimensions.size() == 2 &&
         (axis == 1 || axis == -1) && tensor.dimensions.size() == 1 &&
         tensor.dimensions[0] == bytes->dimensions[1];
}

// Returns whether a node quantizes or dequantizes with a known scale and zero point, per tensor or
// per column.
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

// Returns the DequantizeLinear node that produces a factor, or nullptr.
const Node* Dequantises(const Graph& graph, ValueId factor, ScopeId scope, bool by_column) {
  const NodeId id = factor == kNone ? kNone : graph.values[factor].producer;
  if (id == kNone || graph.nodes[id].scope != scope) return nullptr;
  const bool does = IsScaled(graph, graph.nodes[id], "DequantizeLinear", by_column);
  return does ? &graph.nodes[id] : nullptr;
}

// Returns the QuantizeLinear node that is the only reader of a value, or nullptr.
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

// Returns whether a node's scale and zero point have no dimensions, as a product of two vectors
// requires.
bool HasScalars(const Graph& graph, const Node& node) {
  return TensorOf(graph, node.inputs[1])->dimensions.empty() &&
         TensorOf(graph, node.inputs[2])->dimensions.empty();
}

// Returns whether all the nodes keep the precision of the file.
bool StayHigh(const Graph& graph, const Autocast* autocast,
              std::initializer_list<const Node*> nodes) {
  return autocast == nullptr || std::none_of(nodes.begin(), nodes.end(), [&](const Node* node) {
           return autocast->plan.low[static_cast<std::size_t>(node - graph.nodes.data())];
         });
}

// The weights of a product as stored in the file.
struct StoredFactor {
  const Node* dequantise = nullptr;
  bool is_transposed = false;
};

// Returns whether the scales and zero points of a matrix are per tensor, per column of the product,
// or per block of a column.
bool ServesColumns(const Graph& graph, const StoredFactor& factor) {
  const Node& node = *factor.dequantise;
  const Tensor& weights = *TensorOf(graph, node.inputs[0]);
  const Tensor& scale = *TensorOf(graph, node.inputs[1]);
  const Attribute* given = node.Find("axis");
  const std::int64_t axis = given == nullptr ? 1 : given->integer;
  const std::int64_t along = axis < 0 ? axis + 2 : axis;
  const std::int64_t of_columns = factor.is_transposed ? 0 : 1;
  const Attribute* block = node.Find("block_size");
  if (block != nullptr && block->integer > 0) {
    return along == 1 - of_columns && scale.dimensions.size() == 2;
  }
  if (scale.elements == 1) return scale.dimensions.size() <= 1;
  return along == of_columns &&
         scale.elements == static_cast<std::uint64_t>(weights.dimensions[of_columns]);
}

// Returns the common type of a node and the DequantizeLinear that it reads, or nullopt if they run
// in different types.
std::optional<Dtype> SharedType(const Graph& graph, const Autocast* autocast, const Node& node,
                                const Node& opened) {
  const std::optional<Dtype> as_stored = TensorOf(graph, opened.inputs[1])->dtype;
  if (autocast == nullptr) return as_stored;
  const auto is_low = [&](const Node& each) {
    return autocast->plan.low[static_cast<std::size_t>(&each - graph.nodes.data())];
  };
  if (is_low(node) != is_low(opened)) return std::nullopt;
  return is_low(node) ? autocast->target : as_stored;
}

// Sets which version of each input a node of that type takes.
void WantType(NodeId id, std::size_t inputs, Dtype dtype, Autocast* autocast) {
  if (autocast == nullptr) return;
  autocast->plan.inputs[id].assign(inputs, dtype == autocast->target ? Want::kLow : Want::kHigh);
}

// Returns whether a node dequantizes a known matrix of 4 or 8 bits.
bool Opens(const Graph& graph, const Node& node) {
  const bool is_plain = node.op == "DequantizeLinear" && node.domain.empty() &&
                        node.inputs.size() >= 2 && node.Find("output_dtype") == nullptr;
  if (!is_plain) return false;
  const Tensor* weights = TensorOf(graph, node.inputs[0]);
  const Tensor* scale = TensorOf(graph, node.inputs[1]);
  if (weights == nullptr || scale == nullptr || !weights->dtype) return false;
  const bool is_matrix = weights->dimensions.size() == 2 && weights->elements != 0;
  const bool serves = scale->dtype == Dtype::kFloat32 || scale->dtype == Dtype::kFloat16 ||
                      scale->dtype == Dtype::kBfloat16;
  if (!is_matrix || !serves || DtypeBits(*weights->dtype) > 8) return false;
  if (weights->dtype == Dtype::kBool) return false;
  if (node.inputs.size() < 3 || node.inputs[2] == kNone) return true;
  const Tensor* zero_point = TensorOf(graph, node.inputs[2]);
  return zero_point != nullptr && zero_point->dtype == weights->dtype &&
         zero_point->elements == scale->elements;
}

// Finds the right factor of a product, perhaps behind a transposition. `dequantise` is nullptr if
// it is not stored quantized.
StoredFactor FindStored(const OnnxModel& model, const Node& product) {
  const Graph& graph = model.graph;
  StoredFactor factor;
  NodeId id = graph.values[product.inputs[1]].producer;
  const Attribute* transposes = product.Find("transB");
  factor.is_transposed = transposes != nullptr && transposes->integer != 0;
  if (id != kNone && graph.nodes[id].op == "Transpose" && graph.nodes[id].domain.empty()) {
    const auto order = AttributeIntegers(model, id, "perm");
    const bool swaps = order.empty() || order == std::vector<std::int64_t>{1, 0};
    if (!swaps) return {};
    factor.is_transposed = !factor.is_transposed;
    id = graph.values[graph.nodes[id].inputs[0]].producer;
  }
  if (id == kNone || graph.nodes[id].scope != product.scope) return {};
  if (!Opens(graph, graph.nodes[id])) return {};
  factor.dequantise = &graph.nodes[id];
  return ServesColumns(graph, factor) ? factor : StoredFactor{};
}

// Returns whether the node is a product of two factors, perhaps with a bias.
bool IsProduct(const Node& node) {
  const bool has_factors = node.domain.empty() && node.inputs.size() >= 2 &&
                           node.inputs[0] != kNone && node.inputs[1] != kNone &&
                           node.outputs.size() == 1 && node.outputs[0] != kNone;
  if (!has_factors || node.op == "MatMul") return has_factors;
  const auto is = [&](std::string_view name, float number) {
    const Attribute* given = node.Find(name);
    return given == nullptr || given->number == number;
  };
  const Attribute* transposes = node.Find("transA");
  return node.op == "Gemm" && is("alpha", 1) && is("beta", 1) &&
         (transposes == nullptr || transposes->integer == 0);
}

// Replaces all attributes of a node.
void SetIntegers(Node& node,
                 std::initializer_list<std::pair<std::string_view, std::int64_t>> integers) {
  node.attributes.clear();
  for (const auto& [name, value] : integers) {
    Attribute attribute;
    attribute.name = name;
    attribute.kind = Attribute::Kind::kInt;
    attribute.integer = value;
    node.attributes.push_back(attribute);
  }
}

// Makes the product read its weights as stored. Returns whether it does.
bool KeepStored(OnnxModel& model, NodeId id, Autocast* autocast) {
  Graph& graph = model.graph;
  Node& node = graph.nodes[id];
  if (!IsProduct(node)) return false;
  const StoredFactor factor = FindStored(model, node);
  if (factor.dequantise == nullptr) return false;
  const Node& opened = *factor.dequantise;
  const auto dtype = SharedType(graph, autocast, node, opened);
  const bool widens = dtype == Dtype::kFloat32 || (dtype && !MultipliesNarrow(*dtype));
  if (!widens) return false;
  const ValueId bias = node.inputs.size() > 2 ? node.inputs[2] : kNone;
  const Attribute* block = opened.Find("block_size");
  node.op = "DequantisedProduct";
  node.domain = "com.microsoft";
  node.inputs = {node.inputs[0], opened.inputs[0], opened.inputs[1],
                 opened.inputs.size() > 2 ? opened.inputs[2] : kNone, bias};
  SetIntegers(node, {{"block_size", block == nullptr ? 0 : block->integer},
                     {"transposed", factor.is_transposed ? 1 : 0}});
  WantType(id, node.inputs.size(), *dtype, autocast);
  return true;
}

// Makes the Gather read its table as stored. Returns whether it does.
bool GatherStored(Graph& graph, NodeId id, Autocast* autocast) {
  Node& node = graph.nodes[id];
  const bool is_gather = node.op == "Gather" && node.domain.empty() && node.inputs.size() == 2 &&
                         node.inputs[0] != kNone && node.inputs[1] != kNone;
  const NodeId producer = is_gather ? graph.values[node.inputs[0]].producer : kNone;
  if (producer == kNone || graph.nodes[producer].scope != node.scope) return false;
  const Node& opened = graph.nodes[producer];
  if (!Opens(graph, opened)) return false;
  const auto dtype = SharedType(graph, autocast, node, opened);
  if (!dtype) return false;
  const auto integer = [](const Node& of, std::string_view name, std::int64_t absent) {
    const Attribute* given = of.Find(name);
    return given == nullptr ? absent : given->integer;
  };
  node.op = "DequantisedGather";
  node.domain = "com.microsoft";
  node.inputs = {opened.inputs[0], node.inputs[1], opened.inputs[1]};
  if (opened.inputs.size() > 2) node.inputs.push_back(opened.inputs[2]);
  SetIntegers(node, {{"gather_axis", integer(node, "axis", 0)},
                     {"quantize_axis", integer(opened, "axis", 1)},
                     {"block_size", integer(opened, "block_size", 0)}});
  WantType(id, node.inputs.size(), *dtype, autocast);
  return true;
}

bool Multiply(Graph& graph, NodeId id, Autocast* autocast) {
  Node& node = graph.nodes[id];
  const bool is_product = node.op == "MatMul" && node.domain.empty() && node.inputs.size() == 2 &&
                          node.outputs.size() == 1 && node.outputs[0] != kNone;
  if (!is_product) return false;
  const Node* a = Dequantises(graph, node.inputs[0], node.scope, false);
  const Node* b = Dequantises(graph, node.inputs[1], node.scope, true);
  if (a == nullptr || b == nullptr || !StayHigh(graph, autocast, {&node, a, b})) return false;
  const Tensor* right = TensorOf(graph, b->inputs[0]);
  const bool has_columns = right != nullptr && right->dimensions.size() >= 2;
  if (!has_columns && !(HasScalars(graph, *a) && HasScalars(graph, *b))) return false;
  Node* reader = Quantises(graph, node.outputs[0], node.scope);
  if (reader != nullptr && !has_columns && !HasScalars(graph, *reader)) reader = nullptr;
  if (reader != nullptr && !StayHigh(graph, autocast, {reader})) reader = nullptr;
  // It takes more inputs than before, none of them low.
  constexpr std::size_t kMostInputs = 8;
  if (autocast != nullptr) autocast->plan.inputs[id].assign(kMostInputs, Want::kHigh);
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

bool MultiplyBytes(RunnableModel& model, Autocast* autocast) {
  if (model.onnx == nullptr) return false;
  bool any = false;
  for (std::size_t id = 0; id < model.onnx->graph.nodes.size(); ++id) {
    const auto node = static_cast<NodeId>(id);
    const bool multiplies = Multiply(model.onnx->graph, node, autocast);
    const bool gathers = GatherStored(model.onnx->graph, node, autocast);
    any = KeepStored(*model.onnx, node, autocast) || multiplies || gathers || any;
  }
  return any;
}

}  // namespace opledger
