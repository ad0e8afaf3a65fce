// ONNX operators that normalize.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

// Over one axis; before opset 13 over all dimensions from the axis on.
LoweredNode BindSoftmax(const OnnxNode& node) {
  const bool one = node.opset() >= 13;
  const std::int64_t axis = FromStart(node.Integer("axis", one ? -1 : 1), node.Rank(0));
  if (axis < 0 || axis > node.Rank(0) || (one && axis == node.Rank(0) && axis != 0)) {
    return Unsupported("its axis is out of range");
  }
  LoweredNode bound = BindAs(node, std::string(node.op()));
  bound.parameters.Set("axes",
                       one && node.Rank(0) > 0 ? Integers{axis} : AllAxes(node.Rank(0), axis));
  return bound;
}

void SetLayerNorm(const OnnxNode& node, std::int64_t axis, Parameters& parameters) {
  parameters.Set("axes", AllAxes(node.Rank(0), axis));
  parameters.Set("epsilon", node.Number("epsilon", 1e-5));
  parameters.Set("subtract_mean", std::int64_t{node.op() == "LayerNormalization" ? 1 : 0});
}

LoweredNode BindLayerNorm(const OnnxNode& node) {
  const auto axis = AxisOf(node.Integer("axis", -1), node.Rank(0));
  if (!axis) return Unsupported("its axis is out of range");
  // Statistics have the type in stash_type; the kernel's are float64 for float64 inputs.
  const auto stash = OnnxDtype(node.Integer("stash_type", 1));
  const bool narrow = stash == Dtype::kFloat32 && node.Input(0).dtype == Dtype::kFloat64;
  if (!narrow || (!node.Wants(1) && !node.Wants(2))) {
    LoweredNode bound = BindAs(node, "Normalise");
    SetLayerNorm(node, *axis, bound.parameters);
    return bound;
  }
  CallChain chain(node);
  std::vector<int> inputs;
  for (std::size_t i = 0; i < node.inputs(); ++i) inputs.push_back(NumberOf(node, i));
  const int all = chain.CallForAll("Normalise", std::move(inputs), 3);
  SetLayerNorm(node, *axis, chain.Last().parameters);
  for (const int output : {1, 2}) {
    if (!node.Wants(static_cast<std::size_t>(output))) continue;
    chain.Give("Cast", {all + output}, output);
    chain.Last().parameters.Set("to", DtypeName(Dtype::kFloat32));
  }
  return std::move(chain).FinishFirst("Identity", {all});
}

LoweredNode BindInstanceNorm(const OnnxNode& node) {
  return BindInstanceNorm(node, node.Number("epsilon", 1e-5));
}

// Groups of channels; scale and shift per channel, before opset 21 per group.
LoweredNode BindGroupNorm(const OnnxNode& node) {
  const std::int64_t groups = node.Integer("num_groups", 0);
  if (node.Rank(0) < 2 || groups < 1) return Unsupported("it has no channels or no groups");
  if (node.Shape(0)[1] % groups != 0) return Unsupported("its groups do not divide its channels");
  return BindGroupNorm(node, groups, node.opset() >= 21, node.Number("epsilon", 1e-5));
}

// Over all axes except the channels, without scale; ONNX's formula adds epsilon to the deviation.
LoweredNode BindMeanVariance(const OnnxNode& node) {
  Integers axes = node.List("axes");
  if (axes.empty()) axes = {0, 2, 3};
  for (std::int64_t& axis : axes) {
    axis = FromStart(axis, node.Rank(0));
    if (axis < 0 || axis >= node.Rank(0)) return Unsupported("its axis is out of range");
  }
  LoweredNode bound = BindAs(node, "Normalise");
  bound.parameters.Set("axes", axes);
  bound.parameters.Set("epsilon", 1e-9);
  bound.parameters.Set("epsilon_in_sqrt", std::int64_t{0});
  return bound;
}

LoweredNode BindBatchNorm(const OnnxNode& node) {
  if (node.Integer("training_mode", 0) != 0)
    return Unsupported("its training_mode is not supported");
  if (node.opset() < 9 && node.Integer("spatial", 1) == 0) {
    return Unsupported("it has statistics for each pixel, as before opset 9");
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
  const auto axis = AxisOf(node.Integer("axis", -1), node.Rank(0));
  if (!axis) return Unsupported("its axis is out of range");
  LoweredNode bound = BindAs(node, "LpNorm");
  bound.parameters.Set("axis", *axis);
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
      {"SimplifiedLayerNormalization", BindLayerNorm},  // RMSNormalization's former name
      {"Softmax", BindSoftmax},
  };
  return kTable;
}

}  // namespace opledger
