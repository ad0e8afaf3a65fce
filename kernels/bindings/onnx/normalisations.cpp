// ONNX operators that bring numbers to a common scale.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

Integers AxesFrom(std::int64_t first, std::int64_t rank) {
  Integers axes;
  for (std::int64_t i = std::max<std::int64_t>(first, 0); i < rank; ++i) axes.push_back(i);
  return axes;
}

std::int64_t AxisFromStart(const OnnxNode& node, std::int64_t absent) {
  const std::int64_t axis = node.Integer("axis", absent);
  return axis < 0 ? axis + node.Rank(0) : axis;
}

// Over one axis; before opset 13 over all dimensions from the axis on.
LoweredNode BindSoftmax(const OnnxNode& node) {
  const bool one = node.opset() >= 13;
  const std::int64_t axis = AxisFromStart(node, one ? -1 : 1);
  if (axis < 0 || axis > node.Rank(0) || (one && axis == node.Rank(0) && axis != 0)) {
    return Unsupported("it has no such axis");
  }
  LoweredNode bound = BindAs(node, std::string(node.op()));
  bound.parameters.Set("axes",
                       one && node.Rank(0) > 0 ? Integers{axis} : AxesFrom(axis, node.Rank(0)));
  return bound;
}

LoweredNode BindLayerNorm(const OnnxNode& node) {
  const std::int64_t axis = AxisFromStart(node, -1);
  if (axis < 0 || axis >= node.Rank(0)) return Unsupported("it has no such axis");
  LoweredNode bound = BindAs(node, "Normalise");
  bound.parameters.Set("axes", AxesFrom(axis, node.Rank(0)));
  bound.parameters.Set("epsilon", node.Number("epsilon", 1e-5));
  bound.parameters.Set("subtract_mean", std::int64_t{node.op() == "RMSNormalization" ? 0 : 1});
  return bound;
}

// Scale and shift of each channel.
LoweredNode BindInstanceNorm(const OnnxNode& node) {
  if (node.Rank(0) < 3) return Unsupported("its input has no spatial dimensions");
  LoweredNode bound = BindAs(node, "Normalise");
  bound.parameters.Set("axes", AxesFrom(2, node.Rank(0)));
  bound.parameters.Set("epsilon", node.Number("epsilon", 1e-5));
  Dimensions operand(static_cast<std::size_t>(node.Rank(0)), 1);
  operand[1] = node.Input(0).dimensions[1];
  bound.parameters.Set("operand", operand);
  return bound;
}

// Channels in groups; scale and shift of each channel, before opset 21 of each group.
LoweredNode BindGroupNorm(const OnnxNode& node) {
  const std::int64_t groups = node.Integer("num_groups", 0);
  if (node.Rank(0) < 2 || groups < 1) return Unsupported("it has no channels or no groups");
  const Dimensions& shape = node.Input(0).dimensions;
  if (shape[1] % groups != 0) return Unsupported("its groups do not divide its channels");
  Dimensions view = {shape[0], groups, shape[1] / groups};
  view.insert(view.end(), shape.begin() + 2, shape.end());
  Dimensions operand(view.size(), 1);
  operand[1] = groups;
  operand[2] = node.opset() < 21 ? 1 : view[2];
  LoweredNode bound = BindAs(node, "Normalise");
  bound.parameters.Set("axes", AxesFrom(2, static_cast<std::int64_t>(view.size())));
  bound.parameters.Set("epsilon", node.Number("epsilon", 1e-5));
  bound.parameters.Set("view", view);
  bound.parameters.Set("operand", operand);
  return bound;
}

// Over all but the channels, without scale; epsilon, which ONNX's formula adds to the deviation.
LoweredNode BindMeanVariance(const OnnxNode& node) {
  Integers axes = node.List("axes");
  if (axes.empty()) axes = {0, 2, 3};
  for (std::int64_t& axis : axes) axis += axis < 0 ? node.Rank(0) : 0;
  if (std::any_of(axes.begin(), axes.end(),
                  [&](std::int64_t axis) { return axis < 0 || axis >= node.Rank(0); })) {
    return Unsupported("it has no such axis");
  }
  LoweredNode bound = BindAs(node, "Normalise");
  bound.parameters.Set("axes", axes);
  bound.parameters.Set("epsilon", 1e-9);
  bound.parameters.Set("epsilon_in_sqrt", std::int64_t{0});
  return bound;
}

LoweredNode BindBatchNorm(const OnnxNode& node) {
  if (node.Integer("training_mode", 0) != 0) return Unsupported("it trains");
  if (node.opset() < 9 && node.Integer("spatial", 1) == 0) {
    return Unsupported("it has statistics of each pixel, as before opset 9");
  }
  LoweredNode bound = BindAs(node, "BatchNorm");
  bound.parameters.Set("epsilon", node.Number("epsilon", 1e-5));
  return bound;
}

LoweredNode BindLrn(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "LocalResponseNorm");
  bound.parameters.Set("alpha", node.Number("alpha", 1e-4));
  bound.parameters.Set("beta", node.Number("beta", 0.75));
  bound.parameters.Set("bias", node.Number("bias", 1));
  bound.parameters.Set("size", node.Integer("size", 1));
  return bound;
}

LoweredNode BindLpNorm(const OnnxNode& node) {
  const std::int64_t axis = AxisFromStart(node, -1);
  if (axis < 0 || axis >= node.Rank(0)) return Unsupported("it has no such axis");
  LoweredNode bound = BindAs(node, "LpNorm");
  bound.parameters.Set("axis", axis);
  bound.parameters.Set("p", node.Integer("p", 2));
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxNormalisations() {
  static const std::vector<OnnxBinding> kTable = {
      {"BatchNormalization", BindBatchNorm},
      {"GroupNormalization", BindGroupNorm},
      {"Hardmax", BindSoftmax},
      {"InstanceNormalization", BindInstanceNorm},
      {"LRN", BindLrn},
      {"LayerNormalization", BindLayerNorm},
      {"LogSoftmax", BindSoftmax},
      {"LpNormalization", BindLpNorm},
      {"MeanVarianceNormalization", BindMeanVariance},
      {"RMSNormalization", BindLayerNorm},
      {"Softmax", BindSoftmax},
  };
  return kTable;
}

}  // namespace opledger
