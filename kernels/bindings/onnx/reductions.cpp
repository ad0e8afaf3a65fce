// ONNX operators that go over axes.
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

// None absent means all, unless the node says that it means none.
Bound BindReduce(const OnnxNode& node) {
  std::string problem;
  auto axes = node.ListOrInput("axes", 1, problem);
  if (!problem.empty()) return Unbound(problem);
  Bound bound = BindAs(node, std::string(node.op()));
  bound.inputs.resize(1);
  if (!axes || axes->empty()) {
    if (node.Integer("noop_with_empty_axes", 0) != 0) {
      axes.emplace();
    } else {
      axes.emplace(static_cast<std::size_t>(node.Rank(0)));
      std::iota(axes->begin(), axes->end(), 0);
    }
  }
  for (std::int64_t& axis : *axes) {
    if (axis < 0) axis += node.Rank(0);
    if (axis < 0 || axis >= node.Rank(0)) return Unbound("it has no such axis");
  }
  bound.parameters.Set("axes", *axes);
  bound.parameters.Set("keep", node.Integer("keepdims", 1));
  return bound;
}

std::int64_t FromStart(std::int64_t axis, std::int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

Bound BindArg(const OnnxNode& node) {
  Bound bound = BindAs(node, std::string(node.op()));
  bound.parameters.Set("axis", FromStart(node.Integer("axis", 0), node.Rank(0)));
  bound.parameters.Set("keep", node.Integer("keepdims", 1));
  bound.parameters.Set("last", node.Integer("select_last_index", 0));
  return bound;
}

Bound BindCumSum(const OnnxNode& node) {
  const auto axis = node.KnownIntegers(1);
  if (!axis || axis->size() != 1) return Unbound("its axis is computed as the model runs");
  Bound bound = BindAs(node, "CumSum");
  bound.inputs.resize(1);
  bound.parameters.Set("axis", FromStart((*axis)[0], node.Rank(0)));
  bound.parameters.Set("exclusive", node.Integer("exclusive", 0));
  bound.parameters.Set("reverse", node.Integer("reverse", 0));
  return bound;
}

// k is an attribute before opset 10.
Bound BindTopK(const OnnxNode& node) {
  std::int64_t k = node.Integer("k", 0);
  if (node.opset() >= 10) {
    const auto known = node.KnownIntegers(1);
    if (!known || known->size() != 1) return Unbound("its k is computed as the model runs");
    k = (*known)[0];
  }
  Bound bound = BindAs(node, "TopK");
  bound.inputs.resize(1);
  bound.parameters.Set("axis", FromStart(node.Integer("axis", -1), node.Rank(0)));
  bound.parameters.Set("k", k);
  bound.parameters.Set("largest", node.Integer("largest", 1));
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxReductions() {
  static const std::vector<OnnxBinding> kTable = {
      {"ArgMax", BindArg},
      {"ArgMin", BindArg},
      {"CumSum", BindCumSum},
      {"ReduceL1", BindReduce},
      {"ReduceL2", BindReduce},
      {"ReduceLogSum", BindReduce},
      {"ReduceLogSumExp", BindReduce},
      {"ReduceMax", BindReduce},
      {"ReduceMean", BindReduce},
      {"ReduceMin", BindReduce},
      {"ReduceProd", BindReduce},
      {"ReduceSum", BindReduce},
      {"ReduceSumSquare", BindReduce},
      {"TopK", BindTopK},
  };
  return kTable;
}

}  // namespace opledger
