// MXNet operators that normalize.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/bindings/mxnet/node.h"

namespace opledger {
namespace {

// Uses the moving averages, as in inference; gamma is 1 if fix_gamma is set.
LoweredNode BindBatchNorm(const MxnetNode& node) {
  const std::int64_t rank = node.Rank(0);
  const auto axis = node.Axis("axis", 1);
  if (!axis || rank < 2) return Unsupported("its axis is out of range");
  if (node.Wants(1) || node.Wants(2))
    return Unsupported("its outputs mean and variance are not supported");
  CallChain chain(node);
  int gamma = 1;
  if (node.Flag("fix_gamma", true)) gamma = chain.Operand(FilledTensor(node.Input(1), 1));
  LoweredNode bound = std::move(chain).Finish("BatchNorm", {0, gamma, 2, 3, 4});
  bound.parameters.Set("epsilon", node.Number("eps", 1e-3));
  if (*axis != 1) {
    const Dimensions& shape = node.Shape(0);
    const auto at = static_cast<std::size_t>(*axis);
    bound.views[0] = {ProductOf(shape, 0, at), shape[at], ProductOf(shape, at + 1, shape.size())};
    bound.shapes[0] = shape;
  }
  return bound;
}

LoweredNode BindLayerNorm(const MxnetNode& node) {
  const auto axis = node.Axis("axis", -1);
  if (!axis) return Unsupported("its axis is out of range");
  if (node.Wants(1) || node.Wants(2))
    return Unsupported("its outputs mean and deviation are not supported");
  LoweredNode bound = BindAs(node, "Normalise");
  bound.parameters.Set("axes", Integers{*axis});
  bound.parameters.Set("epsilon", node.Number("eps", 1e-5));
  Dimensions operand(static_cast<std::size_t>(node.Rank(0)), 1);
  operand[static_cast<std::size_t>(*axis)] = node.Shape(0)[static_cast<std::size_t>(*axis)];
  if (*axis != node.Rank(0) - 1) bound.parameters.Set("operand", operand);
  return bound;
}

// Scale and shift are per channel, in older versions per group.
LoweredNode BindGroupNorm(const MxnetNode& node) {
  const std::int64_t groups = node.Integer("num_groups", 1);
  if (node.Wants(1) || node.Wants(2))
    return Unsupported("its outputs mean and deviation are not supported");
  if (node.Rank(0) < 3 || groups < 1 || node.Shape(0)[1] % groups != 0) {
    return Unsupported("its groups do not divide its channels");
  }
  const bool by_channel = Elements(node.Shape(1)) != static_cast<std::size_t>(groups);
  return BindGroupNorm(node, groups, by_channel, node.Number("eps", 1e-5));
}

LoweredNode BindInstanceNorm(const MxnetNode& node) {
  return BindInstanceNorm(node, node.Number("eps", 1e-3));
}

// x / sqrt(sum of squares + eps), from the kernel that divides by the mean of squares.
LoweredNode BindL2Normalization(const MxnetNode& node) {
  const std::string mode = node.Word("mode", "instance");
  const std::int64_t rank = node.Rank(0);
  if (rank < 2) return Unsupported("its input has too few dimensions");
  if (node.Wants(1)) return Unsupported("its output norm is not supported");
  const Integers axes = mode == "channel"   ? Integers{1}
                        : mode == "spatial" ? AllAxes(rank, 2)
                                            : AllAxes(rank, 1);
  double count = 1;
  for (const std::int64_t axis : axes) {
    count *= static_cast<double>(node.Shape(0)[static_cast<std::size_t>(axis)]);
  }
  if (count < 1) return Unsupported("its input is empty");
  CallChain chain(node);
  const Dimensions one(static_cast<std::size_t>(rank), 1);
  const bool wide = node.Input(0).dtype == Dtype::kFloat64;
  const int scale = chain.Operand(
      FilledTensor({wide ? Dtype::kFloat64 : Dtype::kFloat32, one}, 1 / std::sqrt(count)));
  LoweredNode bound = std::move(chain).Finish("Normalise", {0, scale});
  bound.parameters.Set("axes", axes);
  bound.parameters.Set("subtract_mean", std::int64_t{0});
  bound.parameters.Set("epsilon", node.Number("eps", 1e-10) / count);
  return bound;
}

LoweredNode BindLrn(const MxnetNode& node) {
  if (node.Wants(1)) return Unsupported("its output norm is not supported");
  LoweredNode bound = BindFirst(node, "LocalResponseNorm");
  bound.parameters.Set("alpha", node.Number("alpha", 1e-4));
  bound.parameters.Set("beta", node.Number("beta", 0.75));
  bound.parameters.Set("bias", node.Number("knorm", 2));
  bound.parameters.Set("size", node.Integer("nsize", 1));
  return bound;
}

// Over one axis. With a temperature or row lengths another kernel is used.
LoweredNode BindSoftmax(const MxnetNode& node) {
  const auto axis = node.Axis("axis", -1);
  if (!axis) return Unsupported("its axis is out of range");
  const auto to = node.Type("dtype");
  if (to && *to != node.Input(0).dtype)
    return Unsupported("its output has another type than its input");
  const bool logarithm = node.op() == "log_softmax";
  const double temperature = node.Number("temperature", 1);
  const bool lengths = node.Flag("use_length", false) && node.Has(1);
  const double factor = node.op() == "softmin" ? -1 : 1;
  if (temperature == 1 && !lengths && factor == 1) {
    LoweredNode bound = BindFirst(node, logarithm ? "LogSoftmax" : "Softmax");
    bound.parameters.Set("axes", Integers{*axis});
    return bound;
  }
  LoweredNode bound = BindFirst(node, logarithm ? "MaskedLogSoftmax" : "MaskedSoftmax");
  if (lengths) bound.inputs.push_back(1);
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("temperature", temperature * factor);
  return bound;
}

// Over the last dimension ("instance": each row of a matrix), or over the channels.
LoweredNode BindSoftmaxActivation(const MxnetNode& node) {
  LoweredNode bound = BindFirst(node, "Softmax");
  const bool channel = node.Word("mode", "instance") == "channel";
  if (node.Rank(0) < 2) return Unsupported("its input has too few dimensions");
  bound.parameters.Set("axes", Integers{channel ? 1 : node.Rank(0) - 1});
  return bound;
}

// The label does not affect the output.
LoweredNode BindSoftmaxOutput(const MxnetNode& node) {
  LoweredNode bound = BindFirst(node, "Softmax");
  const std::int64_t rank = node.Rank(0);
  if (rank < 1) return Unsupported("its input has too few dimensions");
  const bool multi = node.Flag("multi_output", false);
  const bool last = node.Flag("preserve_shape", false);
  bound.parameters.Set("axes", multi && rank > 1 ? Integers{1}
                               : last            ? Integers{rank - 1}
                                                 : AllAxes(rank, rank > 1 ? 1 : 0));
  return bound;
}

}  // namespace

const std::vector<MxnetBinding>& MxnetNormalisations() {
  static const std::vector<MxnetBinding> kTable = {
      {"BatchNorm", BindBatchNorm, 5},
      {"GroupNorm", BindGroupNorm, 3},
      {"InstanceNorm", BindInstanceNorm, 3},
      {"L2Normalization", BindL2Normalization},
      {"LRN", BindLrn},
      {"LayerNorm", BindLayerNorm, 3},
      {"SoftmaxActivation", BindSoftmaxActivation},
      {"SoftmaxOutput", BindSoftmaxOutput},
      {"_contrib_SyncBatchNorm", BindBatchNorm, 5},
      {"log_softmax", BindSoftmax},
      {"softmax", BindSoftmax},
      {"softmin", BindSoftmax},
  };
  return kTable;
}

}  // namespace opledger
