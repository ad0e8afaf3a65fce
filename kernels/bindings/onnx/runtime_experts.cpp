// Mixture of experts of com.microsoft: a router assigns each row to the best few of many small
// networks. Here each network computes every row, and rows not assigned to it get weight 0.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

struct Experts {
  std::int64_t rows = 0;
  std::int64_t experts = 0;
  std::int64_t chosen = 0;  // experts chosen for each row
  std::int64_t inner = 0;   // elements between the two products of a network
  std::int64_t gates = 1;   // 2: the same number again, as gates
  std::string activation;
};

// Inputs: x, scores of experts, weights and bias of the first product, of the second, of the third.
// Returns a problem, or an empty string.
std::string ReadExperts(const OnnxNode& node, Experts& read) {
  read.activation = node.Word("activation_type", "relu");
  read.chosen = node.Integer("k", 1);
  if (node.Integer("use_sparse_mixer", 0) != 0) return "its sparse mixer is not supported";
  if (node.Has(6) || node.Has(7)) return "it has a third product (fc3), which is not supported";
  if (node.Rank(0) < 2 || node.Rank(1) != 2 || node.Rank(2) != 3 || node.Rank(4) != 3) {
    return "its weights do not have the shapes of experts";
  }
  const std::int64_t size = node.Shape(0).back();
  read.rows = node.Shape(1)[0];
  read.experts = node.Shape(1)[1];
  read.inner = node.Shape(4)[2];
  read.gates = read.activation == "swiglu" ? 2 : 1;
  if (node.Shape(2) != Dimensions{read.experts, read.gates * read.inner, size} ||
      node.Shape(4) != Dimensions{read.experts, size, read.inner} || read.chosen < 1 ||
      read.chosen > read.experts ||
      Elements(node.Shape(0)) !=
          static_cast<std::size_t>(read.rows) * static_cast<std::size_t>(size)) {
    return "its weights do not fit its input or its scores";
  }
  return {};
}

// Returns the index of the weight of each expert for each row, [experts, rows, 1]: softmax of all
// scores, or of the best only.
int Shares(CallChain& chain, const OnnxNode& node, const Experts& of) {
  const bool of_best = node.Integer("normalize_routing_weights", 0) != 0;
  const auto softmax = [&](int scores) {
    const int shares = chain.Call("Softmax", {scores});
    chain.Last().parameters.Set("axes", Integers{1});
    return shares;
  };
  const int all = of_best ? 1 : softmax(1);
  const int best = chain.CallForAll("TopK", {all}, 2);
  chain.Last().parameters.Set("axis", std::int64_t{1});
  chain.Last().parameters.Set("k", of.chosen);
  chain.Last().parameters.Set("largest", std::int64_t{1});
  const int none = chain.Operand(FilledTensor({node.Input(1).dtype, {of.rows, of.experts}}, 0));
  const int shares =
      chain.Call("ScatterElements", {none, best + 1, of_best ? softmax(best) : best});
  chain.Last().parameters.Set("axis", std::int64_t{1});
  chain.Last().parameters.Set("reduction", "none");
  return chain.Reshaped(chain.Transposed(shares, {1, 0}), {of.experts, of.rows, 1});
}

// SwiGLU of gates and values, which are interleaved or halves of a row: g sigmoid(alpha g) (x +
// beta), with g and x clipped.
int Gated(CallChain& chain, const OnnxNode& node, const Experts& of, int value) {
  const Dtype dtype = node.Input(0).dtype;
  int gate = 0;
  if (node.Integer("swiglu_fusion", 0) == 1) {
    const int pairs = chain.Reshaped(value, {of.experts, of.rows, of.inner, 2});
    const int first = chain.Split(pairs, 3, {1, 1});
    gate = chain.Reshaped(first, {of.experts, of.rows, of.inner});
    value = chain.Reshaped(first + 1, {of.experts, of.rows, of.inner});
  } else {
    gate = chain.Split(value, 2, {of.inner, of.inner});
    value = gate + 1;
  }
  if (node.HasAttribute("swiglu_limit")) {
    const int most = chain.Scalar(dtype, node.Number("swiglu_limit", 0));
    gate = chain.Call("Min", {gate, most});
    value = chain.Call("Max", {chain.Call("Min", {value, most}),
                               chain.Scalar(dtype, -node.Number("swiglu_limit", 0))});
  }
  const int open = chain.Call("Silu", {gate});
  chain.Last().parameters.Set("alpha", node.Number("activation_alpha", 1));
  const double beta = node.Number("activation_beta", 0);
  return chain.Call(
      "Mul", {open, beta == 0 ? value : chain.Call("Add", {value, chain.Scalar(dtype, beta)})});
}

LoweredNode BindExperts(const OnnxNode& node) {
  Experts of;
  if (std::string problem = ReadExperts(node, of); !problem.empty()) return Unsupported(problem);
  const TensorType shares{Dtype::kFloat64, {of.rows, of.experts}};
  if (!CheckSize(shares)) return Unsupported(OutputProblem(shares));
  CallChain chain(node);
  // [experts, rows, size]: x by the first product, the activation, the second product
  const auto product = [&](int x, std::size_t weights, std::int64_t columns) {
    const int y = chain.Call("MatMul", {x, chain.Transposed(static_cast<int>(weights), {0, 2, 1})});
    if (!node.Has(weights + 1)) return y;
    return chain.Call("Add",
                      {y, chain.Reshaped(static_cast<int>(weights) + 1, {of.experts, 1, columns})});
  };
  const std::int64_t size = node.Shape(0).back();
  int value = product(chain.Reshaped(0, {1, of.rows, size}), 2, of.gates * of.inner);
  const std::string& name = of.activation;
  if (name == "swiglu") {
    value = Gated(chain, node, of, value);
  } else if (name == "relu" || name == "silu" || name == "gelu") {
    value = chain.Call(name == "relu" ? "Relu" : name == "silu" ? "Silu" : "GeluTanh", {value});
  } else if (name != "identity") {
    return Unsupported("its activation '" + name + "' is unknown");
  }
  value = chain.Call("Mul", {product(value, 4, size), Shares(chain, node, of)});
  const int sum = chain.Call("ReduceSum", {value});
  chain.Last().parameters.Set("axes", Integers{0});
  chain.Last().parameters.Set("keep", std::int64_t{0});
  LoweredNode bound = std::move(chain).Finish("Reshape", {sum});
  bound.parameters.Set("shape", node.Shape(0));
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& RuntimeExperts() {
  static const std::vector<OnnxBinding> kTable = {{"MoE", BindExperts}};
  return kTable;
}

}  // namespace opledger
