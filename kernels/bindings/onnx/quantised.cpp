// Quantized operators of ONNX and of com.microsoft. Sums of products stay integers; operators
// without an integer formula are dequantized and requantized.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"
#include "kernels/bindings/onnx/window.h"

namespace opledger {
namespace {

// Axis and block of the scales; the kernels refuse invalid ones.
LoweredNode BindScaled(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, std::string(node.op()));
  bound.parameters.Set("axis", FromStart(node.Integer("axis", 1), node.Rank(0)));
  bound.parameters.Set("block", node.Integer("block_size", 0));
  const std::int64_t to = node.Integer("output_dtype", 0);
  if (to == 0) return bound;
  const auto dtype = OnnxDtype(to);
  if (!dtype) {
    return Unsupported(
        "its output is of ONNX's type " + std::to_string(to) +
        ", which is not supported: 4-bit and 8-bit floats and 2-bit integers are not");
  }
  bound.parameters.Set("to", DtypeName(*dtype));
  return bound;
}

LoweredNode BindQuantize(const OnnxNode& node) {
  const std::int64_t precision = node.Integer("precision", 0);
  if (precision != 0 && OnnxDtype(precision) != node.Input(1).dtype) {
    return Unsupported("its precision differs from the type of its scale");
  }
  return BindScaled(node);
}

LoweredNode BindDynamicQuantize(const OnnxNode& node) {
  return BindAs(node, "DynamicQuantizeLinear");
}

// Inputs: a, b, zero points, as in the kernel.
LoweredNode BindMatMulInteger(const OnnxNode& node) { return BindAs(node, "MatMulInteger"); }

Dimensions KernelOfWeights(const OnnxNode& node, std::size_t input) {
  const Dimensions& weights = node.Shape(input);
  return weights.size() < 3 ? Dimensions{} : Dimensions(weights.begin() + 2, weights.end());
}

LoweredNode BindConvInteger(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "ConvInteger");
  bound.parameters.Set("groups", node.Integer("group", 1));
  SetWindow(node, KernelOfWeights(node, 1), bound.parameters);
  return bound;
}

// A scale as float32, or as float64 if the model computes in float64.
int WideScale(CallChain& chain, const OnnxNode& node, std::size_t input) {
  const Dtype dtype = node.Input(input).dtype;
  const bool wide = dtype == Dtype::kFloat32 || dtype == Dtype::kFloat64;
  return wide ? static_cast<int>(input) : chain.Cast(static_cast<int>(input), Dtype::kFloat32);
}

// Reshapes a list of scales or zero points to a matrix column; a single one is unchanged.
int OfRows(CallChain& chain, const OnnxNode& node, std::size_t input, int number) {
  if (node.Rank(input) != 1 || node.Shape(input)[0] == 1) return number;
  return chain.Reshaped(number, {node.Shape(input)[0], 1});
}

// Returns whether sums of products of bytes always fit 32 bits: (2^31 - 1) / 255^2 products do.
bool SumsFit(const OnnxNode& node) {
  constexpr std::int64_t kMostProducts = 33'025;
  return node.Rank(0) == 0 || node.Shape(0).back() <= kMostProducts;
}

// Dequantizes the bytes of an input; scales per row or column lie along `axis`.
int NumbersOf(CallChain& chain, const OnnxNode& node, std::size_t bytes, std::size_t scale,
              std::size_t zero_point, std::int64_t axis) {
  const int numbers =
      chain.Call("DequantizeLinear",
                 {static_cast<int>(bytes), static_cast<int>(scale), NumberOf(node, zero_point)});
  chain.Last().parameters.Set("axis", std::max<std::int64_t>(axis, 0));
  return numbers;
}

// Inputs: a, scale, zero point; b, scale, zero point; the result's scale and zero point.
LoweredNode BindQLinearMatMul(const OnnxNode& node) {
  CallChain chain(node);
  if (!SumsFit(node)) {
    const int a = NumbersOf(chain, node, 0, 1, 2, node.Rank(0) - 2);
    const int b = NumbersOf(chain, node, 3, 4, 5, node.Rank(3) - 1);
    const int product = chain.Call("MatMul", {a, b});
    return std::move(chain).Finish("QuantizeLinear", {product, 6, NumberOf(node, 7)});
  }
  const int a_scale = OfRows(chain, node, 1, WideScale(chain, node, 1));
  const int scales = chain.Call("Mul", {a_scale, WideScale(chain, node, 4)});
  const int factor = chain.Call("Div", {scales, WideScale(chain, node, 6)});
  const int sums = chain.Call("MatMulInteger", {0, 3, 2, 5});
  return std::move(chain).Finish("Requantize", {sums, factor, 7});
}

// Inputs: x, scale, zero point; w, scale, zero point; the result's scale and zero point; bias.
LoweredNode BindQLinearConv(const OnnxNode& node) {
  if (node.Integer("channels_last", 0) != 0) return Unsupported("its channels are last");
  CallChain chain(node);
  int w_scale = WideScale(chain, node, 4);
  if (node.Rank(4) == 1 && node.Shape(4)[0] != 1 && node.Rank(0) > 1) {
    Dimensions channels(static_cast<std::size_t>(node.Rank(0) - 1), 1);
    channels[0] = node.Shape(4)[0];
    w_scale = chain.Reshaped(w_scale, channels);
  }
  const int scales = chain.Call("Mul", {WideScale(chain, node, 1), w_scale});
  const int factor = chain.Call("Div", {scales, WideScale(chain, node, 6)});
  const int sums = chain.Call("ConvInteger", {0, 3, 2, 5, NumberOf(node, 8)});
  Parameters& parameters = chain.Last().parameters;
  parameters.Set("groups", node.Integer("group", 1));
  SetWindow(node, KernelOfWeights(node, 3), parameters);
  return std::move(chain).Finish("Requantize", {sums, factor, 7});
}

}  // namespace

const std::vector<OnnxBinding>& OnnxQuantised() {
  static const std::vector<OnnxBinding> kTable = {
      {"ConvInteger", BindConvInteger},
      {"DequantizeLinear", BindScaled},
      {"DynamicQuantizeLinear", BindDynamicQuantize},
      {"MatMulInteger", BindMatMulInteger},
      {"QLinearConv", BindQLinearConv},
      {"QLinearMatMul", BindQLinearMatMul},
      {"QuantizeLinear", BindQuantize},
  };
  return kTable;
}

// Operators of com.microsoft.

namespace {

// Dequantizes input `input`, which is followed by its scale and zero point.
int Dequantised(CallChain& chain, const OnnxNode& node, std::size_t input) {
  const auto first = static_cast<int>(input);
  return chain.Call("DequantizeLinear", {first, first + 1, NumberOf(node, input + 2)});
}

// Quantizes the result with input `scale` and the zero point after it.
LoweredNode Quantised(CallChain&& chain, const OnnxNode& node, int value, std::size_t scale) {
  LoweredNode bound = std::move(chain).Finish(
      "QuantizeLinear", {value, static_cast<int>(scale), NumberOf(node, scale + 1)});
  bound.parameters.Set("to", DtypeName(node.Input(0).dtype));
  return bound;
}

// Inputs: a and b, each with scale and zero point; the result's.
LoweredNode BindQuantisedPair(const OnnxNode& node) {
  CallChain chain(node);
  const int a = Dequantised(chain, node, 0);
  const int b = Dequantised(chain, node, 3);
  const int result = chain.Call(std::string(node.op().substr(7)), {a, b});  // after "QLinear"
  return Quantised(std::move(chain), node, result, 6);
}

LoweredNode BindQuantisedUnary(const OnnxNode& node) {
  CallChain chain(node);
  const int result = chain.Call(std::string(node.op().substr(7)), {Dequantised(chain, node, 0)});
  if (node.op() == "QLinearLeakyRelu") {
    chain.Last().parameters.Set("alpha", node.Number("alpha", 0.01));
  }
  return Quantised(std::move(chain), node, result, 3);
}

LoweredNode BindQuantisedSoftmax(const OnnxNode& node) {
  const bool one = node.Integer("opset", 13) >= 13;
  const std::int64_t axis = FromStart(node.Integer("axis", -1), node.Rank(0));
  if (axis < 0 || axis >= node.Rank(0)) return Unsupported("its axis is out of range");
  CallChain chain(node);
  const int result = chain.Call("Softmax", {Dequantised(chain, node, 0)});
  chain.Last().parameters.Set("axes", one ? Integers{axis} : AllAxes(node.Rank(0), axis));
  return Quantised(std::move(chain), node, result, 3);
}

LoweredNode BindQuantisedPool(const OnnxNode& node) {
  if (node.Rank(0) < 3) return Unsupported("its input has no spatial dimensions");
  if (node.Integer("channels_last", 0) != 0) return Unsupported("its channels are last");
  CallChain chain(node);
  const int result = chain.Call("AveragePool", {Dequantised(chain, node, 0)});
  Parameters& parameters = chain.Last().parameters;
  if (node.op() == "QLinearGlobalAveragePool") {
    const Dimensions& shape = node.Shape(0);
    parameters.Set("kernel", Dimensions(shape.begin() + 2, shape.end()));
  } else {
    SetWindow(node, node.List("kernel_shape"), parameters);
    parameters.Set("count_pads", node.Integer("count_include_pad", 0));
  }
  return Quantised(std::move(chain), node, result, 3);
}

LoweredNode BindQuantisedMean(const OnnxNode& node) {
  Integers axes = node.List("axes");
  if (axes.empty()) axes = AllAxes(node.Rank(0));
  for (std::int64_t& axis : axes) {
    const auto at = AxisOf(axis, node.Rank(0));
    if (!at) return Unsupported("its axis is out of range");
    axis = *at;
  }
  CallChain chain(node);
  const int result = chain.Call("ReduceMean", {Dequantised(chain, node, 0)});
  chain.Last().parameters.Set("axes", axes);
  chain.Last().parameters.Set("keep", node.Integer("keepdims", 1));
  return Quantised(std::move(chain), node, result, 3);
}

// Inputs: the result's scale and zero point, then each part with its own.
LoweredNode BindQuantisedConcat(const OnnxNode& node) {
  CallChain chain(node);
  std::vector<int> parts;
  for (std::size_t i = 2; i == 2 || i + 1 < node.inputs(); i += 3) {
    parts.push_back(Dequantised(chain, node, i));
  }
  const auto axis = AxisOf(node.Integer("axis", 0), node.Rank(2));
  if (!axis) return Unsupported("its axis is out of range");
  const int all = chain.Call("Concat", parts);
  chain.Last().parameters.Set("axis", *axis);
  return std::move(chain).Finish("QuantizeLinear", {all, 0, 1});
}

// Inputs: condition, x and y with scale and zero point, the result's.
LoweredNode BindQuantisedWhere(const OnnxNode& node) {
  CallChain chain(node);
  const int x = Dequantised(chain, node, 1);
  const int y = Dequantised(chain, node, 4);
  const int result = chain.Call("Where", {0, x, y});
  return std::move(chain).Finish("QuantizeLinear", {result, 7, NumberOf(node, 8)});
}

// Converts sums to floats: multiplies by both scales and adds a bias.
LoweredNode FinishFloats(CallChain&& chain, int sums, int a_scale, int b_scale, int bias,
                         Dtype dtype) {
  const int wide = chain.Cast(sums, dtype);
  const int scale = chain.Call("Mul", {a_scale, b_scale});
  if (bias < 0) return std::move(chain).FinishFirst("Mul", {wide, scale});
  const int product = chain.Call("Mul", {wide, scale});
  return std::move(chain).FinishFirst("Add", {product, bias});
}

// Inputs: a, b, scales, zero points (optional), bias (optional).
LoweredNode BindMatMulIntegerToFloat(const OnnxNode& node) {
  CallChain chain(node);
  if (!SumsFit(node)) {
    const int a = NumbersOf(chain, node, 0, 2, 4, node.Rank(0) - 2);
    const int b = NumbersOf(chain, node, 1, 3, 5, node.Rank(1) - 1);
    if (!node.Has(6)) return std::move(chain).FinishFirst("MatMul", {a, b});
    const int product = chain.Call("MatMul", {a, b});
    return std::move(chain).FinishFirst("Add", {product, 6});
  }
  const int sums = chain.Call("MatMulInteger", {0, 1, NumberOf(node, 4), NumberOf(node, 5)});
  return FinishFloats(std::move(chain), sums, 2, 3, NumberOf(node, 6), node.Input(2).dtype);
}

// Inputs: a (floats), b, its scale, its zero point (optional), bias (optional).
LoweredNode BindDynamicQuantizeMatMul(const OnnxNode& node) {
  CallChain chain(node);
  const int a = chain.CallForAll("DynamicQuantizeLinear", {0}, 3);
  const int sums = chain.Call("MatMulInteger", {a, 1, a + 2, NumberOf(node, 3)});
  return FinishFloats(std::move(chain), sums, a + 1, 2, NumberOf(node, 4), node.Input(0).dtype);
}

// Inputs: a, scale, zero point; b, likewise; c (int32, optional); the result's (optional).
LoweredNode BindQGemm(const OnnxNode& node) {
  if (node.Rank(0) != 2 || node.Rank(3) != 2) return Unsupported("its factors are not matrices");
  CallChain chain(node);
  const bool of_a = node.Integer("transA", 0) != 0;
  const bool of_b = node.Integer("transB", 0) != 0;
  const int a = of_a ? chain.Transposed(0, {1, 0}) : 0;
  const int b = of_b ? chain.Transposed(3, {1, 0}) : 3;
  int sums = chain.Call("MatMulInteger", {a, b, NumberOf(node, 2), NumberOf(node, 5)});
  if (node.Has(6)) sums = chain.Call("Add", {sums, 6});
  const Dtype dtype = node.Input(1).dtype;
  int a_scale = 1;
  if (const double alpha = node.Number("alpha", 1); alpha != 1) {
    a_scale = chain.Call("Mul", {1, chain.Scalar(dtype, alpha)});
  }
  if (!node.Has(7)) return FinishFloats(std::move(chain), sums, a_scale, 4, -1, dtype);
  const int scales = chain.Call("Mul", {a_scale, 4});
  const int factor = chain.Call("Div", {scales, 7});
  return std::move(chain).Finish("Requantize", {sums, factor, 8});
}

}  // namespace

const std::vector<OnnxBinding>& RuntimeQuantised() {
  static const std::vector<OnnxBinding> kTable = {
      {"DequantizeLinear", BindScaled},
      {"DynamicQuantizeMatMul", BindDynamicQuantizeMatMul},
      {"MatMulIntegerToFloat", BindMatMulIntegerToFloat},
      {"QGemm", BindQGemm},
      {"QLinearAdd", BindQuantisedPair},
      {"QLinearAveragePool", BindQuantisedPool},
      {"QLinearConcat", BindQuantisedConcat},
      {"QLinearConv", BindQLinearConv},
      {"QLinearGlobalAveragePool", BindQuantisedPool},
      {"QLinearLeakyRelu", BindQuantisedUnary},
      {"QLinearMul", BindQuantisedPair},
      {"QLinearReduceMean", BindQuantisedMean},
      {"QLinearSigmoid", BindQuantisedUnary},
      {"QLinearSoftmax", BindQuantisedSoftmax},
      {"QLinearWhere", BindQuantisedWhere},
      {"QuantizeLinear", BindQuantize},
  };
  return kTable;
}

}  // namespace opledger
