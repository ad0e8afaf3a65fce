// MXNet operators that reduce or scan axes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/bindings/mxnet/node.h"

namespace opledger {
namespace {

// Returns the axes in `axis`, or all others (exclude); all if it is absent. Returns nullopt for an
// invalid axis.
std::optional<Integers> ReducedAxes(const MxnetNode& node) {
  const std::int64_t rank = node.Rank(0);
  const Integers given = node.List("axis");
  if (given.empty()) {
    return node.Flag("exclude", false) && node.HasAttribute("axis") ? Integers() : AllAxes(rank);
  }
  std::vector<bool> named(static_cast<std::size_t>(rank));
  for (std::int64_t axis : given) {
    axis = FromStart(axis, rank);
    if (axis < 0 || axis >= rank) return std::nullopt;
    named[static_cast<std::size_t>(axis)] = true;
  }
  Integers axes;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (named[static_cast<std::size_t>(axis)] != node.Flag("exclude", false)) axes.push_back(axis);
  }
  return axes;
}

// A result without dimensions has the shape (1): before numpy shapes MXNet had no scalars.
void SetReduction(const MxnetNode& node, const Integers& axes, KernelCall& bound) {
  const bool keep = node.Flag("keepdims", false);
  bound.parameters.Set("axes", axes);
  bound.parameters.Set("keep", std::int64_t{keep ? 1 : 0});
  if (!keep && axes.size() == node.Shape(0).size()) bound.shapes[0] = {1};
}

LoweredNode BindReduce(const MxnetNode& node, const char* kernel) {
  const auto axes = ReducedAxes(node);
  if (!axes) return Unsupported("its axis is out of range");
  const auto to = node.Type("dtype");
  if (to && *to != node.Input(0).dtype)
    return Unsupported("its output has another type than its input");
  LoweredNode bound = BindFirst(node, kernel);
  SetReduction(node, *axes, bound);
  return bound;
}

LoweredNode BindSum(const MxnetNode& node) { return BindReduce(node, "ReduceSum"); }
LoweredNode BindMean(const MxnetNode& node) { return BindReduce(node, "ReduceMean"); }
LoweredNode BindProd(const MxnetNode& node) { return BindReduce(node, "ReduceProd"); }
LoweredNode BindMax(const MxnetNode& node) { return BindReduce(node, "ReduceMax"); }
LoweredNode BindMin(const MxnetNode& node) { return BindReduce(node, "ReduceMin"); }

// Replaces NaN by the neutral element.
LoweredNode BindWithoutNaN(const MxnetNode& node) {
  const auto axes = ReducedAxes(node);
  if (!axes) return Unsupported("its axis is out of range");
  const bool sum = node.op() == "nansum";
  CallChain chain(node);
  const int nothing = chain.Scalar(node.Input(0).dtype, sum ? 0 : 1);
  const int is_nan = chain.Call("IsNaN", {0});
  const int numbers = chain.Call("Where", {is_nan, nothing, 0});
  LoweredNode bound = std::move(chain).Finish(sum ? "ReduceSum" : "ReduceProd", {numbers});
  SetReduction(node, *axes, bound);
  return bound;
}

LoweredNode BindNorm(const MxnetNode& node) {
  const std::int64_t order = node.Integer("ord", 2);
  if (order != 1 && order != 2) return Unsupported("there is no kernel for its ord");
  if (node.Type("out_dtype")) return Unsupported("its output has another type than its input");
  return BindReduce(node, order == 1 ? "ReduceL1" : "ReduceL2");
}

// The position as a value of the input's type. Without an axis, of the flattened input.
LoweredNode BindArg(const MxnetNode& node) {
  CallChain chain(node);
  const bool flat = !node.HasAttribute("axis") && node.op() != "argmax_channel";
  const auto axis = flat                            ? std::optional<std::int64_t>(0)
                    : node.op() == "argmax_channel" ? node.Axis("axis", -1)
                                                    : node.Axis("axis", 0);
  if (!axis) return Unsupported("its axis is out of range");
  const int place = chain.Call(node.op() == "argmin" ? "ArgMin" : "ArgMax", {0});
  const bool keep = node.Flag("keepdims", false);
  KernelCall& call = chain.Last();
  call.parameters.Set("axis", *axis);
  call.parameters.Set("keep", std::int64_t{keep ? 1 : 0});
  if (flat) {
    call.views[0] = {static_cast<std::int64_t>(Elements(node.Shape(0)))};
    call.shapes[0] = keep ? Dimensions(node.Shape(0).size(), 1) : Dimensions{1};
  } else if (!keep && node.Rank(0) == 1) {
    call.shapes[0] = {1};
  }
  LoweredNode bound = std::move(chain).Finish("Cast", {place});
  bound.parameters.Set("to", DtypeName(node.Input(0).dtype));
  return bound;
}

// The input of sorting along an axis: the tensor itself, or flattened.
struct Sorted {
  Dimensions view;
  std::int64_t axis = 0;
  std::int64_t count = 0;  // along the axis
};

std::optional<Sorted> SortedOf(const MxnetNode& node) {
  Sorted sorted{node.Shape(0), 0, 0};
  // "None" reads as absent, so both mean the last axis.
  const auto axis = node.Axis("axis", -1);
  if (!axis) return std::nullopt;
  sorted.axis = *axis;
  sorted.count = sorted.view[static_cast<std::size_t>(sorted.axis)];
  return sorted;
}

void SetTop(const Sorted& sorted, std::int64_t count, bool largest, KernelCall& call) {
  call.views[0] = sorted.view;
  call.parameters.Set("axis", sorted.axis);
  call.parameters.Set("k", count);
  call.parameters.Set("largest", std::int64_t{largest ? 1 : 0});
}

LoweredNode BindSort(const MxnetNode& node) {
  const auto sorted = SortedOf(node);
  if (!sorted) return Unsupported("its axis is out of range");
  LoweredNode bound = BindFirst(node, "TopK");
  SetTop(*sorted, sorted->count, !node.Flag("is_ascend", true), bound);
  bound.results = {0};
  return bound;
}

LoweredNode BindPlaces(const MxnetNode& node, const Sorted& sorted, std::int64_t count,
                       bool largest, bool values) {
  CallChain chain(node);
  const int places = chain.CallForSecond("TopK", {0});
  SetTop(sorted, count, largest, chain.Last());
  if (values) chain.Last().results[0] = 0;
  LoweredNode bound = std::move(chain).Finish("Cast", {places});
  bound.parameters.Set("to", DtypeName(node.Type("dtype").value_or(Dtype::kFloat32)));
  bound.results = {values ? 1 : 0};
  return bound;
}

LoweredNode BindArgSort(const MxnetNode& node) {
  const auto sorted = SortedOf(node);
  if (!sorted) return Unsupported("its axis is out of range");
  return BindPlaces(node, *sorted, sorted->count, !node.Flag("is_ascend", true), false);
}

LoweredNode BindTopK(const MxnetNode& node) {
  const auto sorted = SortedOf(node);
  if (!sorted) return Unsupported("its axis is out of range");
  const std::int64_t asked = node.Integer("k", 1);
  const std::int64_t count = asked < 1 ? sorted->count : std::min(asked, sorted->count);
  const bool largest = !node.Flag("is_ascend", false);
  const std::string kind = node.Word("ret_typ", "indices");
  if (kind == "mask") return Unsupported("its ret_typ is mask, which is not supported");
  if (kind != "value") return BindPlaces(node, *sorted, count, largest, kind == "both");
  LoweredNode bound = BindFirst(node, "TopK");
  SetTop(*sorted, count, largest, bound);
  bound.results = {0};
  return bound;
}

LoweredNode BindCumSum(const MxnetNode& node) {
  if (node.Type("dtype")) return Unsupported("its output has another type than its input");
  LoweredNode bound = BindFirst(node, "CumSum");
  if (node.HasAttribute("axis")) {
    const auto axis = node.Axis("axis", 0);
    if (!axis) return Unsupported("its axis is out of range");
    bound.parameters.Set("axis", *axis);
    return bound;
  }
  const auto count = static_cast<std::int64_t>(Elements(node.Shape(0)));
  bound.views[0] = {count};
  bound.parameters.Set("axis", std::int64_t{0});
  return bound;
}

// The mean, and the mean of the squared deviations.
LoweredNode BindMoments(const MxnetNode& node) {
  Integers axes = node.List("axes");
  if (axes.empty()) axes = AllAxes(node.Rank(0));
  for (std::int64_t& axis : axes) {
    const auto at = AxisOf(axis, node.Rank(0));
    if (!at) return Unsupported("its axis is out of range");
    axis = *at;
  }
  const auto keep = std::int64_t{node.Flag("keepdims", false) ? 1 : 0};
  const auto set = [&](Parameters& parameters, std::int64_t kept) {
    parameters.Set("axes", axes);
    parameters.Set("keep", kept);
  };
  CallChain chain(node);
  chain.Give("ReduceMean", {0}, 0);
  set(chain.Last().parameters, keep);
  const int mean = chain.Call("ReduceMean", {0});
  set(chain.Last().parameters, 1);
  const int off = chain.Call("Sub", {0, mean});
  const int squares = chain.Call("Square", {off});
  chain.Give("ReduceMean", {squares}, 1);
  set(chain.Last().parameters, keep);
  return std::move(chain).Finish();
}

}  // namespace

const std::vector<MxnetBinding>& MxnetReductions() {
  static const std::vector<MxnetBinding> kTable = {
      {"_npi_cumsum", BindCumSum}, {"argmax", BindArg},        {"argmax_channel", BindArg},
      {"argmin", BindArg},         {"argsort", BindArgSort},   {"max", BindMax},
      {"mean", BindMean},          {"min", BindMin},           {"nanprod", BindWithoutNaN},
      {"moments", BindMoments},    {"nansum", BindWithoutNaN}, {"norm", BindNorm},
      {"prod", BindProd},          {"sort", BindSort},         {"sum", BindSum},
      {"topk", BindTopK},
  };
  return kTable;
}

}  // namespace opledger
