// Code shared by the bindings of all frameworks: the kernel of a node, group normalization, axes.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/bindings.h"

#include <algorithm>
#include <numeric>

namespace opledger {

std::string FrameworkNode::Word(std::string_view name, std::string_view absent) const {
  const Attribute* attribute = node_.Find(name);
  const bool is = attribute != nullptr && attribute->kind == Attribute::Kind::kString;
  return std::string(is ? attribute->text : absent);
}

LoweredNode Unsupported(Status problem) {
  LoweredNode bound;
  bound.problem = std::move(problem);
  return bound;
}

bool IsElementwise(std::string_view kernel) {
  const auto found = Kernels().find(kernel);
  return found != Kernels().end() && found->second.back()->properties().elementwise;
}

LoweredNode BindAs(const FrameworkNode& node, std::string kernel) {
  LoweredNode bound;
  bound.kernel = std::move(kernel);
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    bound.inputs.push_back(node.Has(i) ? static_cast<int>(i) : -1);
  }
  return bound;
}

LoweredNode BindFirst(const FrameworkNode& node, std::string kernel) {
  LoweredNode bound = BindAs(node, std::move(kernel));
  if (bound.inputs.size() > 1) bound.inputs.erase(bound.inputs.begin() + 1, bound.inputs.end());
  return bound;
}

LoweredNode BindInstanceNorm(const FrameworkNode& node, double epsilon) {
  if (node.Rank(0) < 3) return Unsupported("its input has no spatial dimensions");
  LoweredNode bound = BindAs(node, "Normalise");
  Dimensions operand(static_cast<std::size_t>(node.Rank(0)), 1);
  operand[1] = node.Shape(0)[1];
  bound.parameters.Set("axes", AllAxes(node.Rank(0), 2));
  bound.parameters.Set("epsilon", epsilon);
  bound.parameters.Set("operand", operand);
  return bound;
}

LoweredNode BindGroupNorm(const FrameworkNode& node, std::int64_t groups, bool by_channel,
                          double epsilon) {
  const Dimensions& shape = node.Shape(0);
  Dimensions view = {shape[0], groups, shape[1] / groups};
  view.insert(view.end(), shape.begin() + 2, shape.end());
  Dimensions operand(view.size(), 1);
  operand[1] = groups;
  if (by_channel) operand[2] = view[2];
  LoweredNode bound = BindAs(node, "Normalise");
  bound.parameters.Set("axes", AllAxes(static_cast<std::int64_t>(view.size()), 2));
  bound.parameters.Set("epsilon", epsilon);
  bound.parameters.Set("view", view);
  bound.parameters.Set("operand", operand);
  return bound;
}

std::int64_t FromStart(std::int64_t axis, std::int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

std::optional<std::int64_t> AxisOf(std::int64_t axis, std::int64_t rank) {
  const std::int64_t from_start = FromStart(axis, rank);
  if (from_start < 0 || from_start >= rank) return std::nullopt;
  return from_start;
}

Integers AllAxes(std::int64_t rank, std::int64_t first) {
  Integers axes(static_cast<std::size_t>(std::max<std::int64_t>(rank - first, 0)));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

}  // namespace opledger
