// Operators of com.microsoft into which ONNX Runtime's optimizer and exporters fuse several
// ordinary ones; they are split up again.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <numeric>

#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"
#include "kernels/bindings/onnx/window.h"
#include "kernels/kernel/channels_last.h"

namespace opledger {
namespace {

// The activation fused to a product. Its parameters have their own names, or are a list.
struct Activation {
  std::string kernel;  // empty: none
  Parameters parameters;
  Status problem;
};

Activation ActivationOf(const OnnxNode& node) {
  Activation activation;
  activation.kernel = node.Word("activation", "");
  const std::vector<float> list = node.Numbers("activation_params");
  const auto set = [&](const char* name, const char* attribute, std::size_t at) {
    if (at < list.size()) activation.parameters.Set(name, static_cast<double>(list[at]));
    if (node.HasAttribute(attribute)) {
      activation.parameters.Set(name, node.Number(attribute, 0));
    }
  };
  const std::string& name = activation.kernel;
  if (name == "LeakyRelu" || name == "Elu" || name == "ThresholdedRelu") {
    set("alpha", "activation_alpha", 0);
  } else if (name == "HardSigmoid" || name == "Selu") {
    set("alpha", "activation_alpha", 0);
    set("beta", name == "Selu" ? "activation_gamma" : "activation_beta", 1);
  } else if (name == "Clip") {
    set("min", "activation_min", 0);
    set("max", "activation_max", 1);
  } else if (name == "QuickGelu") {
    activation.kernel = "Silu";
    set("alpha", "activation_alpha", 0);
  } else if (name == "Gelu") {
    activation.kernel = node.Word("activation_approximate", "none") == "tanh" ? "GeluTanh" : "Gelu";
  } else if (!name.empty() && name != "Relu" && name != "Sigmoid" && name != "Tanh" &&
             name != "Softplus" && name != "Softsign" && name != "HardSwish") {
    activation.problem = "its activation '" + name + "' is unknown";
  }
  return activation;
}

LoweredNode FinishActivated(CallChain&& chain, int value, const Activation& activation) {
  const bool none = activation.kernel.empty();
  LoweredNode bound = std::move(chain).FinishFirst(none ? "Identity" : activation.kernel, {value});
  bound.parameters = activation.parameters;
  return bound;
}

// Inputs: x, weights, bias (optional), addend before the activation (optional).
LoweredNode BindFusedConv(const OnnxNode& node) {
  const Activation activation = ActivationOf(node);
  if (!activation.problem.ok()) return Unsupported(activation.problem);
  const Dimensions& weights = node.Shape(1);
  CallChain chain(node);
  int value = chain.Call("Conv", {0, 1, NumberOf(node, 2)});
  Parameters& parameters = chain.Last().parameters;
  parameters.Set("groups", node.Integer("group", 1));
  SetWindow(node,
            weights.size() < 3 ? Dimensions{} : Dimensions(weights.begin() + 2, weights.end()),
            parameters);
  if (node.Has(3)) value = chain.Call("Add", {value, 3});
  return FinishActivated(std::move(chain), value, activation);
}

// Channels are last in x and the result, second in the weights.
LoweredNode BindNhwcConv(const OnnxNode& node) {
  const std::int64_t rank = node.Rank(0);
  const Dimensions& weights = node.Shape(1);
  if (rank < 3 || node.Rank(1) != rank) return Unsupported("its weights do not fit its input");
  if (node.Word("auto_pad", "NOTSET").starts_with("SAME")) {
    return Unsupported("its auto_pad is not supported");
  }
  const Activation activation = ActivationOf(node);
  if (!activation.problem.ok()) return Unsupported(activation.problem);
  CallChain chain(node);
  const int x = chain.Transposed(0, ToChannelsFirst(AllAxes(rank)));
  const int products = chain.Call("Conv", {x, 1, NumberOf(node, 2)});
  chain.Last().parameters.Set("groups", node.Integer("group", 1));
  SetWindow(node, Dimensions(weights.begin() + 2, weights.end()), chain.Last().parameters);
  int value = chain.Transposed(products, ToChannelsLast(AllAxes(rank)));
  if (node.Has(3)) value = chain.Call("Add", {value, 3});
  return FinishActivated(std::move(chain), value, activation);
}

LoweredNode BindFusedGemm(const OnnxNode& node) {
  const Activation activation = ActivationOf(node);
  if (!activation.problem.ok()) return Unsupported(activation.problem);
  CallChain chain(node);
  const int value = chain.Call("Gemm", {0, 1, NumberOf(node, 2)});
  Parameters& parameters = chain.Last().parameters;
  parameters.Set("alpha", node.Number("alpha", 1));
  parameters.Set("beta", node.Number("beta", 1));
  parameters.Set("transpose_a", node.Integer("transA", 0));
  parameters.Set("transpose_b", node.Integer("transB", 0));
  return FinishActivated(std::move(chain), value, activation);
}

// Transposes a factor for MatMul; `batch`: its first dimension precedes the last in the result.
int Factor(CallChain& chain, const OnnxNode& node, std::size_t input, bool transposed, bool batch) {
  const std::int64_t rank = node.Rank(input);
  if (rank < 2 || (!transposed && !batch)) return static_cast<int>(input);
  Integers order = AllAxes(rank);
  if (batch) {  // 1, ..., rank - 2, 0, rank - 1
    std::iota(order.begin(), order.end() - 2, 1);
    order[static_cast<std::size_t>(rank - 2)] = 0;
  }
  if (transposed) std::swap(order[order.size() - 1], order[order.size() - 2]);
  return chain.Transposed(static_cast<int>(input), order);
}

// alpha may not be exact in the 16-bit type, and a float16 product may overflow before it is
// scaled, so scaling is done in float32.
int ScaledProduct(CallChain& chain, int a, int b, Dtype dtype, double alpha) {
  const bool is_half = dtype == Dtype::kFloat16;
  const bool is_narrow = is_half || dtype == Dtype::kBfloat16;
  if (!is_narrow) {
    return chain.Call("Mul", {chain.Call("MatMul", {a, b}), chain.Scalar(dtype, alpha)});
  }
  if (is_half) {
    a = chain.Cast(a, Dtype::kFloat32);
    b = chain.Cast(b, Dtype::kFloat32);
  }
  int product = chain.Call("MatMul", {a, b});
  if (!is_half) product = chain.Cast(product, Dtype::kFloat32);
  const int scaled = chain.Call("Mul", {product, chain.Scalar(Dtype::kFloat32, alpha)});
  return chain.Cast(scaled, dtype);
}

LoweredNode BindFusedMatMul(const OnnxNode& node) {
  const Activation activation = ActivationOf(node);
  if (!activation.problem.ok()) return Unsupported(activation.problem);
  CallChain chain(node);
  const auto flag = [&](const char* name) { return node.Integer(name, 0) != 0; };
  const int a = Factor(chain, node, 0, flag("transA"), flag("transBatchA"));
  const int b = Factor(chain, node, 1, flag("transB"), flag("transBatchB"));
  const double alpha = node.Number("alpha", 1);
  const int value = alpha == 1 ? chain.Call("MatMul", {a, b})
                               : ScaledProduct(chain, a, b, node.Input(0).dtype, alpha);
  return FinishActivated(std::move(chain), value, activation);
}

LoweredNode BindGeluExact(const OnnxNode& node) { return BindAs(node, "Gelu"); }

// Adds the bias, if any, and applies the function.
LoweredNode Biased(const OnnxNode& node, const char* kernel) {
  CallChain chain(node);
  const int value = node.Has(1) ? chain.Call("Add", {0, 1}) : 0;
  return std::move(chain).Finish(kernel, {value});
}

LoweredNode BindBiasGelu(const OnnxNode& node) { return Biased(node, "Gelu"); }
LoweredNode BindFastGelu(const OnnxNode& node) { return Biased(node, "GeluTanh"); }

// x * sigmoid(alpha * x)
LoweredNode BindQuickGelu(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "Silu");
  bound.parameters.Set("alpha", node.Number("alpha", 1.702));
  return bound;
}

// Multiplies the first half of the sum's last dimension by Gelu of the second.
LoweredNode BindBiasSplitGelu(const OnnxNode& node) {
  const std::int64_t rank = node.Rank(0);
  if (rank < 1 || node.Shape(0).back() % 2 != 0)
    return Unsupported("its last dimension cannot be halved");
  const std::int64_t half = node.Shape(0).back() / 2;
  CallChain chain(node);
  const int sum = chain.Call("Add", {0, 1});
  const int first = chain.Split(sum, rank - 1, {half, half});
  const int gate = chain.Call("Gelu", {first + 1});
  return std::move(chain).Finish("Mul", {first, gate});
}

// Inputs: x, bias, skip.
LoweredNode BindBiasAdd(const OnnxNode& node) {
  CallChain chain(node);
  const int sum = chain.Call("Add", {0, 1});
  return std::move(chain).Finish("Add", {sum, 2});
}

// Over the dimensions from the axis on.
LoweredNode BindBiasSoftmax(const OnnxNode& node) {
  const auto axis = AxisOf(node.Integer("axis", 1), node.Rank(0));
  if (!axis) return Unsupported("its axis is out of range");
  // The outer broadcast repeats the bias along middle dimensions, where it has size 1.
  CallChain chain(node);
  const int sum = chain.Call("Add", {0, 1});
  LoweredNode bound = std::move(chain).Finish("Softmax", {sum});
  bound.parameters.Set("axes", AllAxes(node.Rank(0), *axis));
  return bound;
}

// Normalizes the last dimension, with scale and an optional shift.
LoweredNode FinishNormalised(CallChain&& chain, const OnnxNode& node, std::int64_t rank,
                             std::vector<int> inputs, bool mean, double epsilon) {
  LoweredNode bound = std::move(chain).FinishFirst("Normalise", std::move(inputs));
  bound.parameters.Set("axes", Integers{rank - 1});
  bound.parameters.Set("epsilon", node.Number("epsilon", epsilon));
  bound.parameters.Set("subtract_mean", std::int64_t{mean ? 1 : 0});
  return bound;
}

// Inputs: x, skip, scale, shift (not in the simplified version), bias. Outputs: y, mean and
// deviation (training only), x + skip + bias.
LoweredNode BindSkipNorm(const OnnxNode& node) {
  if (node.Rank(0) < 1) return Unsupported("its input has no dimensions");
  if (node.Wants(1) || node.Wants(2))
    return Unsupported("its outputs mean and deviation are for training only");
  const bool simple = node.op() == "SkipSimplifiedLayerNormalization";
  const std::size_t bias = simple ? 3 : 4;
  CallChain chain(node);
  int sum = chain.Call("Add", {0, 1});
  if (node.Has(bias)) sum = chain.Call("Add", {sum, static_cast<int>(bias)});
  if (node.Wants(3)) chain.Give("Identity", {sum}, 3);
  return FinishNormalised(
      std::move(chain), node, node.Rank(0),
      simple ? std::vector<int>{sum, 2} : std::vector<int>{sum, 2, NumberOf(node, 3)}, !simple,
      1e-12);
}

// Indices of the parts of an embedding in a chain; -1: none.
struct Embedding {
  int segments = -1;
  int words = -1;
  int places_table = -1;
  int segments_table = -1;
  int scale = -1;
  int shift = -1;
  int places = -1;
};

// Inputs 0 and 7 are ids and a mask. Outputs: y, the number of unmasked ids of each row, the sum
// before normalization.
LoweredNode FinishEmbedNorm(CallChain&& chain, const OnnxNode& node, Embedding of) {
  const std::int64_t batches = node.Shape(0)[0];
  const std::int64_t length = node.Shape(0)[1];
  const auto taken = [&](int table, int ids) { return chain.Gathered(table, ids, 0); };
  const TensorType whole{Dtype::kInt64, {1, length}};
  if (!CheckSize(whole)) return Unsupported(OutputProblem(whole));
  if (of.places < 0) {
    ConstantTensor all(whole);
    std::iota(all.As<std::int64_t>(), all.As<std::int64_t>() + length, 0);
    of.places = chain.Operand(std::move(all));
  }
  int sum = chain.Call("Add", {taken(of.words, 0), taken(of.places_table, of.places)});
  if (of.segments >= 0) sum = chain.Call("Add", {sum, taken(of.segments_table, of.segments)});
  if (node.Wants(1) && node.Has(7)) {
    chain.Give("ReduceSum", {7}, 1);
    chain.Last().parameters.Set("axes", Integers{1});
    chain.Last().parameters.Set("keep", std::int64_t{0});
  } else if (node.Wants(1)) {
    chain.Give("Identity", {chain.Operand(ConstantTensor({Dtype::kInt32, {batches}}))}, 1);
  }
  if (node.Wants(2)) chain.Give("Identity", {sum}, 2);
  return FinishNormalised(std::move(chain), node, 3, {sum, of.scale, of.shift}, true, 1e-12);
}

bool HasMatrices(const OnnxNode& node) {
  return node.Rank(0) == 2 && node.Rank(2) == 2 && node.Rank(3) == 2;
}

// Inputs: ids, segments (optional), tables of words, positions and segments (optional), scale,
// shift, mask (optional), positions (optional).
LoweredNode BindEmbedNorm(const OnnxNode& node) {
  if (!HasMatrices(node)) return Unsupported("its ids or tables are not matrices");
  return FinishEmbedNorm(
      CallChain(node), node,
      {NumberOf(node, 1), 2, 3, 4, NumberOf(node, 5), NumberOf(node, 6), NumberOf(node, 8)});
}

// Like BindEmbedNorm, for 8-bit inputs: inputs 2 to 6 have scales from input 8 on, and zero points
// from 13 on.
LoweredNode BindQuantisedEmbedNorm(const OnnxNode& node) {
  if (!HasMatrices(node)) return Unsupported("its ids or tables are not matrices");
  CallChain chain(node);
  const auto opened = [&](std::size_t i) {
    if (!node.Has(i)) return -1;
    return chain.Call("DequantizeLinear",
                      {static_cast<int>(i), static_cast<int>(i + 6), NumberOf(node, i + 11)});
  };
  const Embedding of = {NumberOf(node, 1), opened(2), opened(3), opened(4),
                        opened(5),         opened(6), -1};
  return FinishEmbedNorm(std::move(chain), node, of);
}

// Inputs: x, weights, bias (optional).
LoweredNode BindGemmFastGelu(const OnnxNode& node) {
  CallChain chain(node);
  int value = chain.Call("MatMul", {0, 1});
  if (node.Has(2)) value = chain.Call("Add", {value, 2});
  return std::move(chain).Finish("GeluTanh", {value});
}

// Group normalization of value `x` of the chain. Inputs 1 and 2 are scale and shift per channel;
// they are float32 with 16-bit inputs, and so is the computation. Channels are last, or second.
LoweredNode FinishGroupNorm(CallChain&& chain, const OnnxNode& node, int x) {
  const Dimensions& shape = node.Shape(0);
  const std::int64_t groups = node.Integer("groups", 0);
  const std::int64_t activation = node.Integer("activation", 0);
  const bool last = node.Integer("channels_last", 1) != 0;
  if (shape.size() < 3 || groups < 1) return Unsupported("it has no channels or no groups");
  const std::int64_t channels = last ? shape.back() : shape[1];
  if (channels % groups != 0) return Unsupported("its groups do not divide its channels");
  if (activation < 0 || activation > 1) return Unsupported("its activation is unknown");
  const auto first = shape.begin() + (last ? 1 : 2);
  const std::int64_t pixels =
      std::accumulate(first, first + static_cast<std::ptrdiff_t>(shape.size()) - 2, std::int64_t{1},
                      std::multiplies<>());
  const std::int64_t each = channels / groups;
  const Dtype dtype = node.Input(0).dtype;
  const Dtype wide = node.Input(1).dtype;
  const int value = chain.Call("Normalise", {dtype == wide ? x : chain.Cast(x, wide), 1, 2});
  Parameters& parameters = chain.Last().parameters;
  parameters.Set("axes", last ? Integers{1, 3} : Integers{2, 3});
  parameters.Set("epsilon", node.Number("epsilon", 1e-5));
  parameters.Set("view", last ? Dimensions{shape[0], pixels, groups, each}
                              : Dimensions{shape[0], groups, each, pixels});
  parameters.Set("operand", last ? Dimensions{1, 1, groups, each} : Dimensions{1, groups, each, 1});
  const int active = activation == 1 ? chain.Call("Silu", {value}) : value;
  if (dtype == wide) return std::move(chain).FinishFirst("Identity", {active});
  LoweredNode bound = std::move(chain).FinishFirst("Cast", {active});
  bound.parameters.Set("to", DtypeName(dtype));
  return bound;
}

// Inputs: x, scale, shift.
LoweredNode BindGroupNormOfRuntime(const OnnxNode& node) {
  return FinishGroupNorm(CallChain(node), node, 0);
}

// Inputs: x, scale, shift, skip (per pixel, or for all pixels), bias (optional). Outputs: y, x +
// skip + bias.
LoweredNode BindSkipGroupNorm(const OnnxNode& node) {
  const Dimensions& shape = node.Shape(0);
  if (shape.size() != 4 || node.Integer("channels_last", 1) == 0) {
    return Unsupported("its channels are not last");
  }
  CallChain chain(node);
  int skip = 3;
  if (node.Rank(3) == 2) skip = chain.Reshaped(3, {shape[0], 1, 1, shape[3]});
  int sum = chain.Call("Add", {0, skip});
  if (node.Has(4)) sum = chain.Call("Add", {sum, 4});
  if (node.Wants(1)) chain.Give("Identity", {sum}, 1);
  return FinishGroupNorm(std::move(chain), node, sum);
}

}  // namespace

const std::vector<OnnxBinding>& RuntimeLayers() {
  static const std::vector<OnnxBinding> kTable = {
      {"BiasAdd", BindBiasAdd},
      {"BiasGelu", BindBiasGelu},
      {"BiasSoftmax", BindBiasSoftmax},
      {"BiasSplitGelu", BindBiasSplitGelu},
      {"EmbedLayerNormalization", BindEmbedNorm},
      {"FastGelu", BindFastGelu},
      {"FusedConv", BindFusedConv},
      {"FusedGemm", BindFusedGemm},
      {"FusedMatMul", BindFusedMatMul},
      {"FusedMatMulActivation", BindFusedMatMul},
      {"Gelu", BindGeluExact},
      {"GemmFastGelu", BindGemmFastGelu},
      {"GroupNorm", BindGroupNormOfRuntime},
      {"NhwcConv", BindNhwcConv},
      {"NhwcFusedConv", BindNhwcConv},
      {"QEmbedLayerNormalization", BindQuantisedEmbedNorm},
      {"QuickGelu", BindQuickGelu},
      {"SkipGroupNorm", BindSkipGroupNorm},
      {"SkipLayerNormalization", BindSkipNorm},
      {"SkipSimplifiedLayerNormalization", BindSkipNorm},
      {"TransposeMatMul", BindFusedMatMul},
  };
  return kTable;
}

}  // namespace opledger
