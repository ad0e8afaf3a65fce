// Operators of com.microsoft that move, pool and measure: variants of ONNX's operators.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"
#include "kernels/bindings/onnx/window.h"
#include "kernels/kernel/channels_last.h"

namespace opledger {
namespace {

// Inputs: a (m, k), b (n, k). Output: the distance of each row of a from each of b.
LoweredNode BindCDist(const OnnxNode& node) {
  const std::string metric = node.Word("metric", "sqeuclidean");
  if (metric != "euclidean" && metric != "sqeuclidean") {
    return Unsupported("its metric '" + metric + "' is unknown");
  }
  if (node.Rank(0) != 2 || node.Rank(1) != 2) return Unsupported("its inputs are not matrices");
  const Dimensions& a = node.Shape(0);
  const Dimensions& b = node.Shape(1);
  CallChain chain(node);
  const int off =
      chain.Call("Sub", {chain.Reshaped(0, {a[0], 1, a[1]}), chain.Reshaped(1, {1, b[0], b[1]})});
  LoweredNode bound =
      std::move(chain).Finish(metric == "euclidean" ? "ReduceL2" : "ReduceSumSquare", {off});
  bound.parameters.Set("axes", Integers{2});
  bound.parameters.Set("keep", std::int64_t{0});
  return bound;
}

// Inputs: x, weights, pads, bias (optional).
LoweredNode BindTransposedConv(const OnnxNode& node) {
  const auto pads = node.KnownIntegers(2);
  if (!pads) return Unsupported(NeedsValues("its pads are computed at run time"));
  const Dimensions& weights = node.Shape(1);
  if (weights.size() < 3) return Unsupported("its weights have no spatial dimensions");
  LoweredNode bound = BindAs(node, "ConvTranspose");
  bound.inputs = {0, 1, NumberOf(node, 3)};
  bound.parameters.Set("groups", node.Integer("group", 1));
  SetTransposedWindow(node, Dimensions(weights.begin() + 2, weights.end()), bound.parameters,
                      *pads);
  return bound;
}

LoweredNode BindExpandDims(const OnnxNode& node) {
  const auto given = node.KnownInteger(1);
  if (!given) return Unsupported(NeedsValues("its axis is computed at run time"));
  const auto axis = AxisOf(*given, node.Rank(0) + 1);
  if (!axis) return Unsupported("its axis is out of range");
  Dimensions shape = node.Shape(0);
  shape.insert(shape.begin() + *axis, 1);
  LoweredNode bound = BindFirst(node, "Reshape");
  bound.parameters.Set("shape", shape);
  return bound;
}

LoweredNode BindInverse(const OnnxNode& node) { return BindAs(node, "Inverse"); }

// Inputs: table, ids, the index that the gradient ignores (optional).
LoweredNode BindTorchEmbedding(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "Gather");
  bound.inputs = {0, 1};
  bound.parameters.Set("axis", std::int64_t{0});
  return bound;
}

// Inputs: a, b of 16 bits; sums have 32 bits and wrap around.
LoweredNode BindMatMulInteger16(const OnnxNode& node) {
  if (node.Input(0).dtype != Dtype::kInt16 || node.Input(1).dtype != Dtype::kInt16) {
    return Unsupported("its factors are not int16");
  }
  CallChain chain(node);
  const int a = chain.Cast(0, Dtype::kInt32);
  const int b = chain.Cast(1, Dtype::kInt32);
  return std::move(chain).Finish("MatMul", {a, b});
}

// Channels are last.
LoweredNode BindNhwcMaxPool(const OnnxNode& node) {
  const std::int64_t rank = node.Rank(0);
  if (rank < 3) return Unsupported("its input has no spatial dimensions");
  if (node.Word("auto_pad", "NOTSET").starts_with("SAME")) {
    return Unsupported("its auto_pad is not supported");
  }
  CallChain chain(node);
  const int pooled = chain.Call("MaxPool", {chain.Transposed(0, ToChannelsFirst(AllAxes(rank)))});
  SetWindow(node, node.List("kernel_shape"), chain.Last().parameters);
  LoweredNode bound = std::move(chain).Finish("Transpose", {pooled});
  bound.parameters.Set("order", ToChannelsLast(AllAxes(rank)));
  return bound;
}

// An operator for tests whose output is its input.
LoweredNode BindSame(const OnnxNode& node) { return BindAs(node, "Identity"); }

// Windows along a dimension, as a last dimension of their own.
LoweredNode BindUnfold(const OnnxNode& node) {
  const std::int64_t rank = node.Rank(0);
  const auto axis = AxisOf(node.Integer("dim", -1), rank);
  const std::int64_t size = node.Integer("size", 0);
  const std::int64_t step = node.Integer("step", 1);
  if (!axis) return Unsupported("its dimension is out of range");
  const std::int64_t length = node.Shape(0)[static_cast<std::size_t>(*axis)];
  if (size < 1 || step < 1 || size > length) return Unsupported("its windows do not fit its input");
  const std::int64_t windows = (length - size) / step + 1;
  const TensorType type{Dtype::kInt64, {windows, size}};
  if (!CheckSize(type)) return Unsupported(OutputProblem(type));
  ConstantTensor places(type);
  for (std::int64_t at = 0; at < windows * size; ++at) {
    places.As<std::int64_t>()[at] = at / size * step + at % size;
  }
  Integers order = AllAxes(rank + 1);
  order.erase(order.begin() + *axis + 1);
  order.push_back(*axis + 1);
  CallChain chain(node);
  const int taken = chain.Gathered(0, chain.Operand(std::move(places)), *axis);
  LoweredNode bound = std::move(chain).Finish("Transpose", {taken});
  bound.parameters.Set("order", order);
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& RuntimeTensors() {
  static const std::vector<OnnxBinding> kTable = {
      {"CDist", BindCDist},
      {"ConvTransposeWithDynamicPads", BindTransposedConv},
      {"ExpandDims", BindExpandDims},
      {"Inverse", BindInverse},
      {"MatMulInteger16", BindMatMulInteger16},
      {"NhwcMaxPool", BindNhwcMaxPool},
      {"SampleOp", BindSame},
      {"TorchEmbedding", BindTorchEmbedding},
      {"UnfoldTensor", BindUnfold},
  };
  return kTable;
}

}  // namespace opledger
