// MXNet operators that move numbers.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/bindings/mxnet/node.h"

namespace opledger {
namespace {

Bound BindTranspose(const MxnetNode& node) {
  Bound bound = BindMxnetFirst(node, "Transpose");
  Integers order = node.List("axes");
  if (order.empty()) {
    order = AllAxes(node.Rank(0));
    std::reverse(order.begin(), order.end());
  }
  for (std::int64_t& axis : order) axis += axis < 0 ? node.Rank(0) : 0;
  bound.parameters.Set("order", order);
  return bound;
}

Bound BindSwapAxis(const MxnetNode& node) {
  const auto a = node.Axis("dim1", 0);
  const auto b = node.Axis("dim2", 0);
  if (!a || !b) return Unbound("it has no such axis");
  Integers order = AllAxes(node.Rank(0));
  std::swap(order[static_cast<std::size_t>(*a)], order[static_cast<std::size_t>(*b)]);
  Bound bound = BindMxnetFirst(node, "Transpose");
  bound.parameters.Set("order", order);
  return bound;
}

// What a slice takes of each dimension.
struct Cut {
  Integers starts;
  Integers steps;
  Dimensions shape;

  explicit Cut(const Dimensions& of) : starts(of.size(), 0), steps(of.size(), 1), shape(of) {}
};

Bound BindCut(const MxnetNode& node, const Cut& cut) {
  Bound bound = BindMxnetFirst(node, "Slice");
  bound.parameters.Set("starts", cut.starts);
  bound.parameters.Set("steps", cut.steps);
  bound.parameters.Set("shape", cut.shape);
  return bound;
}

using Place = std::optional<std::int64_t>;

// [begin, end) of one dimension by steps; what is not said is the whole of it.
void CutDimension(Place begin, Place end, std::int64_t step, std::size_t d, Cut& cut) {
  const std::int64_t size = cut.shape[d];
  const bool forward = step > 0;
  const auto within = [&](const Place& place, std::int64_t absent, std::int64_t least,
                          std::int64_t most) {
    if (!place) return absent;
    return std::clamp(*place < 0 ? *place + size : *place, least, most);
  };
  const std::int64_t start =
      forward ? within(begin, 0, 0, size) : within(begin, size - 1, -1, size - 1);
  const std::int64_t stop = forward ? within(end, size, 0, size) : within(end, -1, -1, size - 1);
  const std::int64_t span = forward ? stop - start : start - stop;
  const std::int64_t magnitude = forward ? step : -step;
  cut.shape[d] = span <= 0 ? 0 : (span - 1) / magnitude + 1;
  cut.starts[d] = start < 0 ? 0 : start;
  cut.steps[d] = cut.shape[d] <= 1 ? 1 : step;
}

Bound BindSlice(const MxnetNode& node) {
  const auto begin = node.OptionalList("begin");
  const auto end = node.OptionalList("end");
  const auto step = node.OptionalList("step");
  if (!begin || !end || begin->size() > node.Shape(0).size())
    return Unbound("it has no begin or end");
  Cut cut(node.Shape(0));
  for (std::size_t d = 0; d < begin->size(); ++d) {
    const std::int64_t by = step && d < step->size() ? (*step)[d].value_or(1) : 1;
    if (by == 0) return Unbound("it takes steps of 0");
    CutDimension((*begin)[d], d < end->size() ? (*end)[d] : Place(), by, d, cut);
  }
  return BindCut(node, cut);
}

Bound BindSliceAxis(const MxnetNode& node) {
  const auto axis = node.Axis("axis", 0);
  if (!axis) return Unbound("it has no such axis");
  Cut cut(node.Shape(0));
  const Place end = node.HasAttribute("end") ? Place(node.Integer("end", 0)) : Place();
  CutDimension(node.Integer("begin", 0), end, 1, static_cast<std::size_t>(*axis), cut);
  return BindCut(node, cut);
}

// As large as the second input, along the axes; without them along all.
Bound BindSliceLike(const MxnetNode& node) {
  Cut cut(node.Shape(0));
  const Dimensions& like = node.Shape(1);
  Integers axes = node.List("axes");
  if (axes.empty()) axes = AllAxes(node.Rank(0));
  for (std::int64_t axis : axes) {
    axis += axis < 0 ? node.Rank(0) : 0;
    if (axis < 0 || axis >= node.Rank(0) || axis >= node.Rank(1)) {
      return Unbound("it has no such axis");
    }
    const auto at = static_cast<std::size_t>(axis);
    if (like[at] > cut.shape[at]) return Unbound("it cuts what is longer than its input");
    cut.shape[at] = like[at];
  }
  return BindCut(node, cut);
}

Bound BindReverse(const MxnetNode& node) {
  Cut cut(node.Shape(0));
  for (std::int64_t axis : node.List("axis")) {
    axis += axis < 0 ? node.Rank(0) : 0;
    if (axis < 0 || axis >= node.Rank(0)) return Unbound("it has no such axis");
    const auto at = static_cast<std::size_t>(axis);
    cut.starts[at] = std::max<std::int64_t>(cut.shape[at] - 1, 0);
    cut.steps[at] = -1;
  }
  return BindCut(node, cut);
}

Bound BindConcat(const MxnetNode& node) {
  const auto axis = node.Axis(node.HasAttribute("axis") ? "axis" : "dim", 1);
  if (!axis) return Unbound("it has no such axis");
  Bound bound = BindMxnetAs(node, "Concat");
  bound.parameters.Set("axis", *axis);
  return bound;
}

// Along a new axis.
Bound BindStack(const MxnetNode& node) {
  const std::int64_t rank = node.Rank(0) + 1;
  const std::int64_t given = node.Integer("axis", 0);
  const std::int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank) return Unbound("it has no such axis");
  Bound bound = BindMxnetAs(node, "Concat");
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    if (node.Rank(i) != node.Rank(0)) return Unbound("its inputs differ in rank");
    Dimensions view = node.Shape(i);
    view.insert(view.begin() + axis, 1);
    bound.views[i] = std::move(view);
  }
  bound.parameters.Set("axis", axis);
  return bound;
}

// Into parts of the given sizes; `squeeze`: without the axis, of which each has one.
Bound BindParts(const MxnetNode& node, std::int64_t axis, const Integers& sizes, bool squeeze) {
  Bound bound = BindMxnetFirst(node, "Split");
  bound.parameters.Set("axis", axis);
  bound.parameters.Set("sizes", sizes);
  for (std::size_t i = 0; squeeze && i < sizes.size(); ++i) {
    if (sizes[i] != 1) return Unbound("it takes out a dimension that is not 1");
    Dimensions shape = node.Shape(0);
    shape.erase(shape.begin() + axis);
    bound.shapes[i] = std::move(shape);
  }
  return bound;
}

Bound BindSliceChannel(const MxnetNode& node) {
  const auto axis = node.Axis("axis", 1);
  const std::int64_t parts = node.Integer("num_outputs", 0);
  if (!axis) return Unbound("it has no such axis");
  const std::int64_t size = node.Shape(0)[static_cast<std::size_t>(*axis)];
  if (parts < 1 || parts > size || size % parts != 0) return Unbound("its parts are not equal");
  return BindParts(node, *axis, Integers(static_cast<std::size_t>(parts), size / parts),
                   node.Flag("squeeze_axis", false));
}

// At indices, or into sections.
Bound BindSplitV2(const MxnetNode& node) {
  const auto axis = node.Axis("axis", 0);
  if (!axis) return Unbound("it has no such axis");
  const std::int64_t size = node.Shape(0)[static_cast<std::size_t>(*axis)];
  const std::int64_t sections = node.Integer("sections", 0);
  Integers sizes;
  if (sections > 0) {
    if (sections > size || size % sections != 0) return Unbound("its parts are not equal");
    sizes.assign(static_cast<std::size_t>(sections), size / sections);
  } else {
    Integers indices = node.List("indices");
    indices.push_back(size);
    for (std::size_t i = 0; i + 1 < indices.size(); ++i) {
      if (indices[i] < 0 || indices[i] > size || indices[i] > indices[i + 1]) {
        return Unbound("its indices are not in order");
      }
      sizes.push_back(indices[i + 1] - indices[i]);
    }
    if (indices.size() > 1 && indices[0] != 0) sizes.insert(sizes.begin(), indices[0]);
  }
  return BindParts(node, *axis, sizes, node.Flag("squeeze_axis", false));
}

// Its dimensions are counted from the last; there may be more of one than of the other.
Bound BindTile(const MxnetNode& node) {
  Integers repeats = node.List("reps");
  Dimensions view = node.Shape(0);
  while (view.size() < repeats.size()) view.insert(view.begin(), 1);
  while (repeats.size() < view.size()) repeats.insert(repeats.begin(), 1);
  Bound bound = BindMxnetFirst(node, "Tile");
  bound.views[0] = std::move(view);
  bound.parameters.Set("repeats", repeats);
  return bound;
}

// Each element so often, along an axis or of all in one row: tiles of a dimension of 1.
Bound BindRepeat(const MxnetNode& node) {
  const std::int64_t repeats = node.Integer("repeats", 1);
  if (repeats < 0 || repeats > (std::int64_t{1} << 31)) return Unbound("its repeats are none");
  Dimensions shape = node.Shape(0);
  std::int64_t axis = 0;
  if (node.HasAttribute("axis")) {
    const auto given = node.Axis("axis", 0);
    if (!given) return Unbound("it has no such axis");
    axis = *given;
  } else {
    shape = {static_cast<std::int64_t>(Elements(shape))};
  }
  Dimensions view = shape;
  view.insert(view.begin() + axis + 1, 1);
  Integers each(view.size(), 1);
  each[static_cast<std::size_t>(axis) + 1] = repeats;
  Bound bound = BindMxnetFirst(node, "Tile");
  bound.views[0] = std::move(view);
  bound.parameters.Set("repeats", each);
  std::int64_t& size = shape[static_cast<std::size_t>(axis)];
  if (__builtin_mul_overflow(size, repeats, &size)) return Unbound("its repeats are too large");
  bound.shapes[0] = std::move(shape);
  return bound;
}

// pad_width: before and behind each dimension.
Bound BindPad(const MxnetNode& node) {
  const Integers width = node.List("pad_width");
  if (width.size() != 2 * node.Shape(0).size())
    return Unbound("its pad_width is of other dimensions");
  Integers begin;
  Integers end;
  for (std::size_t i = 0; i < width.size(); i += 2) {
    begin.push_back(width[i]);
    end.push_back(width[i + 1]);
    if (width[i] < 0 || width[i + 1] < 0) return Unbound("its pads are negative");
  }
  Bound bound = BindMxnetFirst(node, "Pad");
  bound.parameters.Set("mode", node.Word("mode", "constant"));
  bound.parameters.Set("value", node.Number("constant_value", 0));
  bound.parameters.Set("begin", begin);
  bound.parameters.Set("end", end);
  return bound;
}

Bound BindExpandTo(const MxnetNode& node, const Dimensions& shape) {
  Bound bound = BindMxnetFirst(node, "Expand");
  bound.parameters.Set("shape", shape);
  return bound;
}

// Axes of 1 become as large as it says.
Bound BindBroadcastAxis(const MxnetNode& node) {
  const Integers axes = node.List("axis");
  const Integers sizes = node.List("size");
  Dimensions shape = node.Shape(0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + node.Rank(0) : axes[i];
    if (axis < 0 || axis >= node.Rank(0) || i >= sizes.size() || sizes[i] < 0) {
      return Unbound("its axes and sizes are none");
    }
    shape[static_cast<std::size_t>(axis)] = sizes[i];
  }
  return BindExpandTo(node, shape);
}

// 0 is the dimension that the input has.
Bound BindBroadcastTo(const MxnetNode& node) {
  Integers shape = node.List("shape");
  const auto more = static_cast<std::ptrdiff_t>(shape.size()) - node.Rank(0);
  if (more < 0) return Unbound("its shape has fewer dimensions than its input");
  for (std::size_t d = static_cast<std::size_t>(more); d < shape.size(); ++d) {
    if (shape[d] == 0) shape[d] = node.Shape(0)[d - static_cast<std::size_t>(more)];
  }
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t each) { return each < 0; })) {
    return Unbound("its shape has a negative dimension");
  }
  return BindExpandTo(node, shape);
}

Bound BindBroadcastLike(const MxnetNode& node) {
  if (!node.HasAttribute("lhs_axes") && !node.HasAttribute("rhs_axes")) {
    return BindExpandTo(node, node.Shape(1));
  }
  const Integers left = node.List("lhs_axes");
  const Integers right = node.List("rhs_axes");
  Dimensions shape = node.Shape(0);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::int64_t to = left[i] < 0 ? left[i] + node.Rank(0) : left[i];
    const std::int64_t from = i >= right.size() ? -1
                              : right[i] < 0    ? right[i] + node.Rank(1)
                                                : right[i];
    if (to < 0 || to >= node.Rank(0) || from < 0 || from >= node.Rank(1)) {
      return Unbound("it has no such axis");
    }
    shape[static_cast<std::size_t>(to)] = node.Shape(1)[static_cast<std::size_t>(from)];
  }
  return BindExpandTo(node, shape);
}

}  // namespace

const std::vector<MxnetBinding>& MxnetMoves() {
  static const std::vector<MxnetBinding> kTable = {
      {"Concat", BindConcat},
      {"Pad", BindPad},
      {"SliceChannel", BindSliceChannel},
      {"SwapAxis", BindSwapAxis},
      {"_npi_transpose", BindTranspose},
      {"_rnn_param_concat", BindConcat},
      {"_split_v2", BindSplitV2},
      {"broadcast_axis", BindBroadcastAxis},
      {"broadcast_like", BindBroadcastLike, 2},
      {"broadcast_to", BindBroadcastTo},
      {"repeat", BindRepeat},
      {"reverse", BindReverse},
      {"slice", BindSlice},
      {"slice_axis", BindSliceAxis},
      {"slice_like", BindSliceLike, 2},
      {"stack", BindStack},
      {"tile", BindTile},
      {"transpose", BindTranspose},
  };
  return kTable;
}

}  // namespace opledger
