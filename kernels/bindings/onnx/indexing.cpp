// ONNX operators that take or put numbers by index, or fill tensors by a rule.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

Bound BindOneHot(const OnnxNode& node) {
  const auto depth = node.KnownNumbers(1);
  if (!depth || depth->size() != 1) return Unbound("its depth is computed as the model runs");
  const auto axis = AxisOf(node.Integer("axis", -1), node.Rank(0) + 1);
  if (!axis) return Unbound("it has no such axis");
  if (!((*depth)[0] >= 0 && (*depth)[0] < 1e15)) return Unbound("its depth is no size");
  Bound bound;
  bound.kernel = "OneHot";
  bound.inputs = {0, 2};
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("depth", static_cast<std::int64_t>((*depth)[0]));
  return bound;
}

Bound BindEyeLike(const OnnxNode& node) {
  const auto to = OnnxDtype(node.Integer("dtype", 0));
  if (node.HasAttribute("dtype") && !to) return Unbound("it makes a type that has no name here");
  Bound bound = BindAs(node, "EyeLike");
  bound.parameters.Set("diagonal", node.Integer("k", 0));
  bound.parameters.Set("to", DtypeName(node.HasAttribute("dtype") ? *to : node.Input(0).dtype));
  return bound;
}

// The output has as many elements as the condition is true for, so that has to be known.
Bound BindCompress(const OnnxNode& node) {
  const auto condition = node.KnownIntegers(1);
  if (!condition) return Unbound("its output's shape depends on what the condition is as it runs");
  const bool flat = !node.HasAttribute("axis");
  const auto axis = flat ? std::int64_t{0} : AxisOf(node.Integer("axis", 0), node.Rank(0));
  if (!axis) return Unbound("it has no such axis");
  Integers indices;
  for (std::size_t i = 0; i < condition->size(); ++i) {
    if ((*condition)[i] != 0) indices.push_back(static_cast<std::int64_t>(i));
  }
  Bound bound = BindFirst(node, "Take");
  bound.parameters.Set("flat", std::int64_t{flat ? 1 : 0});
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("indices", indices);
  return bound;
}

Bound BindNonZero(const OnnxNode& node) {
  std::vector<bool> is_set;
  if (const auto integers = node.KnownIntegers(0)) {
    for (const std::int64_t each : *integers) is_set.push_back(each != 0);
  } else if (const auto numbers = node.KnownNumbers(0)) {
    for (const double each : *numbers) is_set.push_back(each != 0);
  } else {
    return Unbound("its output's shape depends on what its input is as it runs");
  }
  Integers found;
  for (std::size_t i = 0; i < is_set.size(); ++i) {
    if (is_set[i]) found.push_back(static_cast<std::int64_t>(i));
  }
  const auto count = static_cast<std::int64_t>(found.size());
  ConstantTensor places({Dtype::kInt64, {node.Rank(0), count}});
  for (std::int64_t d = node.Rank(0); d-- > 0;) {
    for (std::int64_t i = 0; i < count; ++i) {
      places.As<std::int64_t>()[d * count + i] = found[i] % node.Input(0).dimensions[d];
      found[i] /= node.Input(0).dimensions[d];
    }
  }
  Bound bound;
  bound.constants.push_back(std::move(places));
  return bound;
}

Bound BindGatherNd(const OnnxNode& node) {
  Bound bound = BindAs(node, "GatherNd");
  bound.parameters.Set("batch", node.Integer("batch_dims", 0));
  return bound;
}

Bound BindReverseSequence(const OnnxNode& node) {
  const std::int64_t time = node.Integer("time_axis", 0);
  if (node.Integer("batch_axis", 1) != 1 - time)
    return Unbound("its axes are none of the first two");
  Bound bound = BindAs(node, "ReverseSequence");
  bound.parameters.Set("time", time);
  return bound;
}

Bound BindScatterElements(const OnnxNode& node) {
  const auto axis = AxisOf(node.Integer("axis", 0), node.Rank(0));
  if (!axis) return Unbound("it has no such axis");
  Bound bound = BindAs(node, "ScatterElements");
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("reduction", node.Word("reduction", "none"));
  return bound;
}

Bound BindScatterNd(const OnnxNode& node) {
  Bound bound = BindAs(node, "ScatterNd");
  bound.parameters.Set("reduction", node.Word("reduction", "none"));
  return bound;
}

Bound BindTensorScatter(const OnnxNode& node) {
  const auto axis = AxisOf(node.Integer("axis", -2), node.Rank(0));
  if (!axis) return Unbound("it has no such axis");
  Bound bound = BindAs(node, "TensorScatter");
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("circular", std::int64_t{node.Word("mode", "linear") == "circular" ? 1 : 0});
  return bound;
}

Bound BindTrilu(const OnnxNode& node) {
  const auto diagonal = node.Has(1) ? node.KnownIntegers(1) : Integers{0};
  if (!diagonal || diagonal->size() != 1) return Unbound("its k is computed as the model runs");
  Bound bound = BindFirst(node, "Trilu");
  bound.parameters.Set("upper", node.Integer("upper", 1));
  bound.parameters.Set("diagonal", (*diagonal)[0]);
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxIndexing() {
  static const std::vector<OnnxBinding> kTable = {
      {"Compress", BindCompress},
      {"EyeLike", BindEyeLike},
      {"GatherND", BindGatherNd},
      {"NonZero", BindNonZero},
      {"OneHot", BindOneHot},
      {"ReverseSequence", BindReverseSequence},
      {"Scatter", BindScatterElements},
      {"ScatterElements", BindScatterElements},
      {"ScatterND", BindScatterNd},
      {"TensorScatter", BindTensorScatter},
      {"Trilu", BindTrilu},
  };
  return kTable;
}

}  // namespace opledger
