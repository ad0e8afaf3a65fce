// ONNX operators that reduce or scan axes.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

// Without axes reduces all, unless noop_with_empty_axes is set.
LoweredNode BindReduce(const OnnxNode& node) {
  Status problem;
  auto axes = node.ListOrInput("axes", 1, problem);
  if (!problem.ok()) return Unsupported(problem);
  LoweredNode bound = BindAs(node, std::string(node.op()));
  bound.inputs.resize(1);
  if (!axes || axes->empty()) {
    if (node.Integer("noop_with_empty_axes", 0) != 0) {
      axes.emplace();
    } else {
      axes = AllAxes(node.Rank(0));
    }
  }
  for (std::int64_t& axis : *axes) {
    axis = FromStart(axis, node.Rank(0));
    if (axis < 0 || axis >= node.Rank(0)) return Unsupported("its axis is out of range");
  }
  bound.parameters.Set("axes", *axes);
  bound.parameters.Set("keep", node.Integer("keepdims", 1));
  return bound;
}

LoweredNode BindArg(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, std::string(node.op()));
  bound.parameters.Set("axis", FromStart(node.Integer("axis", 0), node.Rank(0)));
  bound.parameters.Set("keep", node.Integer("keepdims", 1));
  bound.parameters.Set("last", node.Integer("select_last_index", 0));
  return bound;
}

LoweredNode BindCumulative(const OnnxNode& node) {
  const auto axis = node.KnownInteger(1);
  if (!axis) return Unsupported(NeedsValues("its axis is computed at run time"));
  LoweredNode bound = BindAs(node, std::string(node.op()));
  bound.inputs.resize(1);
  bound.parameters.Set("axis", FromStart(*axis, node.Rank(0)));
  bound.parameters.Set("exclusive", node.Integer("exclusive", 0));
  bound.parameters.Set("reverse", node.Integer("reverse", 0));
  return bound;
}

// k is an attribute before opset 10.
LoweredNode BindTopK(const OnnxNode& node) {
  std::int64_t k = node.Integer("k", 0);
  if (node.opset() >= 10) {
    const auto known = node.KnownInteger(1);
    if (!known) return Unsupported(NeedsValues("its k is computed at run time"));
    k = *known;
  }
  LoweredNode bound = BindAs(node, "TopK");
  bound.inputs.resize(1);
  bound.parameters.Set("axis", FromStart(node.Integer("axis", -1), node.Rank(0)));
  bound.parameters.Set("k", k);
  bound.parameters.Set("largest", node.Integer("largest", 1));
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxReductions() {
  static const std::vector<OnnxBinding> kTable = {
      {"ArgMax", BindArg},          {"ArgMin", BindArg},
      {"CumProd", BindCumulative},  {"CumSum", BindCumulative},
      {"ReduceL1", BindReduce},     {"ReduceL2", BindReduce},
      {"ReduceLogSum", BindReduce}, {"ReduceLogSumExp", BindReduce},
      {"ReduceMax", BindReduce},    {"ReduceMean", BindReduce},
      {"ReduceMin", BindReduce},    {"ReduceProd", BindReduce},
      {"ReduceSum", BindReduce},    {"ReduceSumSquare", BindReduce},
      {"TopK", BindTopK},
  };
  return kTable;
}

// ONNX's loss functions.

namespace {

LoweredNode BindLoss(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "CrossEntropy");
  bound.parameters.Set("softmax", std::int64_t{node.op() == "SoftmaxCrossEntropyLoss" ? 1 : 0});
  if (node.HasAttribute("ignore_index")) {
    bound.parameters.Set("ignored", node.Integer("ignore_index", 0));
  }
  bound.parameters.Set("reduction", node.Word("reduction", "mean"));
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxLosses() {
  static const std::vector<OnnxBinding> kTable = {
      {"NegativeLogLikelihoodLoss", BindLoss},
      {"SoftmaxCrossEntropyLoss", BindLoss},
  };
  return kTable;
}

}  // namespace opledger
