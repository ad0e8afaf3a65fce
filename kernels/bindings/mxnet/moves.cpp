// MXNet operators that move elements.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/bindings/mxnet/node.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

LoweredNode BindTranspose(const MxnetNode& node) {
  LoweredNode bound = BindFirst(node, "Transpose");
  Integers order = node.List("axes");
  if (order.empty()) {
    order = AllAxes(node.Rank(0));
    std::reverse(order.begin(), order.end());
  }
  for (std::int64_t& axis : order) axis = FromStart(axis, node.Rank(0));
  bound.parameters.Set("order", order);
  return bound;
}

LoweredNode BindSwapAxis(const MxnetNode& node) {
  const auto a = node.Axis("dim1", 0);
  const auto b = node.Axis("dim2", 0);
  if (!a || !b) return Unsupported("its axis is out of range");
  Integers order = AllAxes(node.Rank(0));
  std::swap(order[static_cast<std::size_t>(*a)], order[static_cast<std::size_t>(*b)]);
  LoweredNode bound = BindFirst(node, "Transpose");
  bound.parameters.Set("order", order);
  return bound;
}

// What a slice takes from each dimension.
struct Cut {
  Integers starts;
  Integers steps;
  Dimensions shape;

  explicit Cut(const Dimensions& of) : starts(of.size(), 0), steps(of.size(), 1), shape(of) {}
};

LoweredNode BindCut(const MxnetNode& node, const Cut& cut) {
  LoweredNode bound = BindFirst(node, "Slice");
  bound.parameters.Set("starts", cut.starts);
  bound.parameters.Set("steps", cut.steps);
  bound.parameters.Set("shape", cut.shape);
  return bound;
}

using Place = std::optional<std::int64_t>;

// Sets [begin, end) with a step for one dimension; defaults cover all of it.
void CutDimension(Place begin, Place end, std::int64_t step, std::size_t d, Cut& cut) {
  const std::int64_t size = cut.shape[d];
  const bool forward = step > 0;
  const auto within = [&](const Place& place, std::int64_t absent, std::int64_t min,
                          std::int64_t max) {
    if (!place) return absent;
    return std::clamp(*place < 0 ? *place + size : *place, min, max);
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

LoweredNode BindSlice(const MxnetNode& node) {
  const auto begin = node.OptionalList("begin");
  const auto end = node.OptionalList("end");
  const auto step = node.OptionalList("step");
  if (!begin || !end || begin->size() > node.Shape(0).size())
    return Unsupported("it has no begin or end");
  Cut cut(node.Shape(0));
  for (std::size_t d = 0; d < begin->size(); ++d) {
    const std::int64_t by = step && d < step->size() ? (*step)[d].value_or(1) : 1;
    if (by == 0) return Unsupported("its step is 0");
    CutDimension((*begin)[d], d < end->size() ? (*end)[d] : Place(), by, d, cut);
  }
  return BindCut(node, cut);
}

LoweredNode BindSliceAxis(const MxnetNode& node) {
  const auto axis = node.Axis("axis", 0);
  if (!axis) return Unsupported("its axis is out of range");
  Cut cut(node.Shape(0));
  Place end;
  if (node.HasAttribute("end")) end = node.Integer("end", 0);
  CutDimension(node.Integer("begin", 0), end, 1, static_cast<std::size_t>(*axis), cut);
  return BindCut(node, cut);
}

// Cuts to the size of the second input along the axes; by default along all.
LoweredNode BindSliceLike(const MxnetNode& node) {
  Cut cut(node.Shape(0));
  const Dimensions& like = node.Shape(1);
  Integers axes = node.List("axes");
  if (axes.empty()) axes = AllAxes(node.Rank(0));
  for (std::int64_t axis : axes) {
    axis = FromStart(axis, node.Rank(0));
    if (axis < 0 || axis >= node.Rank(0) || axis >= node.Rank(1)) {
      return Unsupported("its axis is out of range");
    }
    const auto at = static_cast<std::size_t>(axis);
    if (like[at] > cut.shape[at]) return Unsupported("its output would be larger than its input");
    cut.shape[at] = like[at];
  }
  return BindCut(node, cut);
}

LoweredNode BindReverse(const MxnetNode& node) {
  Cut cut(node.Shape(0));
  for (std::int64_t axis : node.List("axis")) {
    axis = FromStart(axis, node.Rank(0));
    if (axis < 0 || axis >= node.Rank(0)) return Unsupported("its axis is out of range");
    const auto at = static_cast<std::size_t>(axis);
    cut.starts[at] = std::max<std::int64_t>(cut.shape[at] - 1, 0);
    cut.steps[at] = -1;
  }
  return BindCut(node, cut);
}

LoweredNode BindConcat(const MxnetNode& node) {
  const auto axis = node.Axis(node.HasAttribute("axis") ? "axis" : "dim", 1);
  if (!axis) return Unsupported("its axis is out of range");
  LoweredNode bound = BindAs(node, "Concat");
  bound.parameters.Set("axis", *axis);
  return bound;
}

// Concatenates along a new axis.
LoweredNode BindStack(const MxnetNode& node) {
  const std::int64_t rank = node.Rank(0) + 1;
  const std::int64_t given = node.Integer("axis", 0);
  const std::int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank) return Unsupported("its axis is out of range");
  LoweredNode bound = BindAs(node, "Concat");
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    if (node.Rank(i) != node.Rank(0)) return Unsupported("its inputs differ in rank");
    Dimensions view = node.Shape(i);
    view.insert(view.begin() + axis, 1);
    bound.views[i] = std::move(view);
  }
  bound.parameters.Set("axis", axis);
  return bound;
}

// Splits into parts of the given sizes; `squeeze`: removes the axis, which must have size 1.
LoweredNode BindParts(const MxnetNode& node, std::int64_t axis, const Integers& sizes,
                      bool squeeze) {
  LoweredNode bound = BindFirst(node, "Split");
  bound.parameters.Set("axis", axis);
  bound.parameters.Set("sizes", sizes);
  for (std::size_t i = 0; squeeze && i < sizes.size(); ++i) {
    if (sizes[i] != 1) return Unsupported("it removes a dimension that is not 1");
    Dimensions shape = node.Shape(0);
    shape.erase(shape.begin() + axis);
    bound.shapes[i] = std::move(shape);
  }
  return bound;
}

LoweredNode BindSliceChannel(const MxnetNode& node) {
  const auto axis = node.Axis("axis", 1);
  const std::int64_t parts = node.Integer("num_outputs", 0);
  if (!axis) return Unsupported("its axis is out of range");
  const std::int64_t size = node.Shape(0)[static_cast<std::size_t>(*axis)];
  if (parts < 1 || parts > size || size % parts != 0) return Unsupported("its parts are not equal");
  return BindParts(node, *axis, Integers(static_cast<std::size_t>(parts), size / parts),
                   node.Flag("squeeze_axis", false));
}

// Splits at indices, or into equal sections.
LoweredNode BindSplitV2(const MxnetNode& node) {
  const auto axis = node.Axis("axis", 0);
  if (!axis) return Unsupported("its axis is out of range");
  const std::int64_t size = node.Shape(0)[static_cast<std::size_t>(*axis)];
  const std::int64_t sections = node.Integer("sections", 0);
  Integers sizes;
  if (sections > 0) {
    if (sections > size || size % sections != 0) return Unsupported("its parts are not equal");
    sizes.assign(static_cast<std::size_t>(sections), size / sections);
  } else {
    Integers indices = node.List("indices");
    indices.push_back(size);
    for (std::size_t i = 0; i + 1 < indices.size(); ++i) {
      if (indices[i] < 0 || indices[i] > size || indices[i] > indices[i + 1]) {
        return Unsupported("its indices are not in order");
      }
      sizes.push_back(indices[i + 1] - indices[i]);
    }
    if (indices.size() > 1 && indices[0] != 0) sizes.insert(sizes.begin(), indices[0]);
  }
  return BindParts(node, *axis, sizes, node.Flag("squeeze_axis", false));
}

// Repeats and dimensions are aligned at the end; either may be longer.
LoweredNode BindTile(const MxnetNode& node) {
  Integers repeats = node.List("reps");
  Dimensions view = node.Shape(0);
  while (view.size() < repeats.size()) view.insert(view.begin(), 1);
  while (repeats.size() < view.size()) repeats.insert(repeats.begin(), 1);
  LoweredNode bound = BindFirst(node, "Tile");
  bound.views[0] = std::move(view);
  bound.parameters.Set("repeats", repeats);
  return bound;
}

// Repeats each element along an axis, or of the flattened input: tiles of a dimension of 1.
LoweredNode BindRepeat(const MxnetNode& node) {
  const std::int64_t repeats = node.Integer("repeats", 1);
  if (repeats < 0 || repeats > (std::int64_t{1} << 31))
    return Unsupported("its repeats are out of range");
  Dimensions shape = node.Shape(0);
  std::int64_t axis = 0;
  if (node.HasAttribute("axis")) {
    const auto given = node.Axis("axis", 0);
    if (!given) return Unsupported("its axis is out of range");
    axis = *given;
  } else {
    shape = {static_cast<std::int64_t>(Elements(shape))};
  }
  Dimensions view = shape;
  view.insert(view.begin() + axis + 1, 1);
  Integers each(view.size(), 1);
  each[static_cast<std::size_t>(axis) + 1] = repeats;
  LoweredNode bound = BindFirst(node, "Tile");
  bound.views[0] = std::move(view);
  bound.parameters.Set("repeats", each);
  std::int64_t& size = shape[static_cast<std::size_t>(axis)];
  if (__builtin_mul_overflow(size, repeats, &size)) return Unsupported("its repeats are too large");
  bound.shapes[0] = std::move(shape);
  return bound;
}

// pad_width: before and after each dimension.
LoweredNode BindPad(const MxnetNode& node) {
  const Integers width = node.List("pad_width");
  if (width.size() != 2 * node.Shape(0).size())
    return Unsupported("its pad_width does not match its input's dimensions");
  Integers begin;
  Integers end;
  for (std::size_t i = 0; i < width.size(); i += 2) {
    begin.push_back(width[i]);
    end.push_back(width[i + 1]);
    if (width[i] < 0 || width[i + 1] < 0) return Unsupported("its pads are negative");
  }
  LoweredNode bound = BindFirst(node, "Pad");
  bound.parameters.Set("mode", node.Word("mode", "constant"));
  bound.parameters.Set("value", node.Number("constant_value", 0));
  bound.parameters.Set("begin", begin);
  bound.parameters.Set("end", end);
  return bound;
}

LoweredNode BindExpandTo(const MxnetNode& node, const Dimensions& shape) {
  LoweredNode bound = BindFirst(node, "Expand");
  bound.parameters.Set("shape", shape);
  return bound;
}

// Expands axes of size 1 to the given sizes.
LoweredNode BindBroadcastAxis(const MxnetNode& node) {
  const Integers axes = node.List("axis");
  const Integers sizes = node.List("size");
  Dimensions shape = node.Shape(0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + node.Rank(0) : axes[i];
    if (axis < 0 || axis >= node.Rank(0) || i >= sizes.size() || sizes[i] < 0) {
      return Unsupported("its axes and sizes do not match its input");
    }
    shape[static_cast<std::size_t>(axis)] = sizes[i];
  }
  return BindExpandTo(node, shape);
}

// 0 keeps the input's dimension.
LoweredNode BindBroadcastTo(const MxnetNode& node) {
  Integers shape = node.List("shape");
  const auto more = static_cast<std::ptrdiff_t>(shape.size()) - node.Rank(0);
  if (more < 0) return Unsupported("its shape has fewer dimensions than its input");
  for (std::size_t d = static_cast<std::size_t>(more); d < shape.size(); ++d) {
    if (shape[d] == 0) shape[d] = node.Shape(0)[d - static_cast<std::size_t>(more)];
  }
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t each) { return each < 0; })) {
    return Unsupported("its shape has a negative dimension");
  }
  return BindExpandTo(node, shape);
}

LoweredNode BindBroadcastLike(const MxnetNode& node) {
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
      return Unsupported("its axis is out of range");
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

// MXNet operators that change shapes or return them.

namespace {

// The input dimensions left, and the output dimensions so far.
struct Reshaping {
  Dimensions from;
  std::size_t next = 0;
  Dimensions to;
  std::optional<std::size_t> inferred;  // the dimension to infer

  bool Has(std::size_t more) const { return next + more <= from.size(); }
};

// -4: splits one dimension into two, one of which may be -1.
bool Split(std::int64_t first, std::int64_t second, Reshaping& reshaping) {
  const std::int64_t whole = reshaping.from[reshaping.next++];
  if (first == -1) first = second < 1 ? 0 : whole / second;
  if (second == -1) second = first < 1 ? 0 : whole / first;
  reshaping.to.insert(reshaping.to.end(), {first, second});
  return first >= 1 && second >= 1;
}

// Applies the code at `at` and advances `at` past it. Returns false if it is invalid.
bool Apply(const Integers& codes, std::size_t& at, Reshaping& reshaping) {
  const std::int64_t code = codes[at++];
  if (code > 0) {
    reshaping.to.push_back(code);
    ++reshaping.next;
    return true;
  }
  switch (code) {
    case 0:
      if (!reshaping.Has(1)) return false;
      reshaping.to.push_back(reshaping.from[reshaping.next++]);
      return true;
    case -1:
      if (reshaping.inferred) return false;
      reshaping.inferred = reshaping.to.size();
      reshaping.to.push_back(1);
      ++reshaping.next;
      return true;
    case -2:
      while (reshaping.Has(1)) reshaping.to.push_back(reshaping.from[reshaping.next++]);
      return true;
    case -3:
      if (!reshaping.Has(2)) return false;
      reshaping.to.push_back(reshaping.from[reshaping.next] * reshaping.from[reshaping.next + 1]);
      reshaping.next += 2;
      return true;
    case -4:
      if (!reshaping.Has(1) || at + 2 > codes.size()) return false;
      at += 2;
      return Split(codes[at - 2], codes[at - 1], reshaping);
    default:
      return false;
  }
}

// `reverse`: applies the codes from the last to the first.
std::optional<Dimensions> ReshapedBy(Integers codes, Dimensions from, bool reverse) {
  const auto elements = static_cast<std::int64_t>(Elements(from));
  if (reverse) {
    std::reverse(codes.begin(), codes.end());
    std::reverse(from.begin(), from.end());
  }
  Reshaping reshaping;
  reshaping.from = std::move(from);
  for (std::size_t at = 0; at < codes.size();) {
    if (!Apply(codes, at, reshaping)) return std::nullopt;
  }
  if (reshaping.inferred) {
    std::int64_t known = 1;
    for (const std::int64_t each : reshaping.to) {
      if (__builtin_mul_overflow(known, each, &known)) return std::nullopt;
    }
    if (known == 0 || elements % known != 0) return std::nullopt;
    reshaping.to[*reshaping.inferred] = elements / known;
  }
  if (reverse) std::reverse(reshaping.to.begin(), reshaping.to.end());
  return reshaping.to;
}

LoweredNode BindReshape(const MxnetNode& node) {
  Integers codes = node.List("shape");
  if (codes.empty()) {  // files before 0.9
    codes = node.List("target_shape");
    const bool keep = node.Flag("keep_highest", false);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] == 0) codes[i] = i == 0 && keep ? 0 : -1;
    }
  }
  const auto shape = ReshapedBy(codes, node.Shape(0), node.Flag("reverse", false));
  if (codes.empty() || !shape) return Unsupported("its shape does not fit " + Text(node.Input(0)));
  return BindMxnetReshape(node, *shape);
}

// Uses both shapes entirely, or dimensions [begin, end) of each.
LoweredNode BindReshapeLike(const MxnetNode& node) {
  const auto place = [&](const char* name, std::size_t input, std::int64_t absent) {
    const std::int64_t at = node.Integer(name, absent);
    return std::clamp<std::int64_t>(at < 0 ? at + node.Rank(input) : at, 0, node.Rank(input));
  };
  const std::int64_t begin = place("lhs_begin", 0, 0);
  const std::int64_t end = place("lhs_end", 0, node.Rank(0));
  const std::int64_t from = place("rhs_begin", 1, 0);
  const std::int64_t until = place("rhs_end", 1, node.Rank(1));
  if (begin > end || from > until) return Unsupported("its ranges of dimensions are invalid");
  const Dimensions& left = node.Shape(0);
  const Dimensions& right = node.Shape(1);
  Dimensions shape(left.begin(), left.begin() + begin);
  shape.insert(shape.end(), right.begin() + from, right.begin() + until);
  shape.insert(shape.end(), left.begin() + end, left.end());
  return BindMxnetReshape(node, std::move(shape));
}

LoweredNode BindFlatten(const MxnetNode& node) {
  const Dimensions& shape = node.Shape(0);
  if (shape.empty()) return Unsupported("it flattens a scalar");
  return BindMxnetReshape(node, {shape[0], ProductOf(shape, 1, shape.size())});
}

LoweredNode BindExpandDims(const MxnetNode& node) {
  const std::int64_t rank = node.Rank(0) + 1;
  const std::int64_t given = node.Integer("axis", 0);
  const std::int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank) return Unsupported("its axis is out of range");
  Dimensions shape = node.Shape(0);
  shape.insert(shape.begin() + axis, 1);
  return BindMxnetReshape(node, std::move(shape));
}

// If every dimension is 1, keeps one.
LoweredNode BindSqueeze(const MxnetNode& node) {
  const Dimensions& from = node.Shape(0);
  std::vector<bool> goes(from.size());
  for (std::size_t d = 0; d < from.size(); ++d) goes[d] = from[d] == 1;
  if (node.HasAttribute("axis")) {
    goes.assign(from.size(), false);
    for (std::int64_t axis : node.List("axis")) {
      axis = FromStart(axis, node.Rank(0));
      if (axis < 0 || axis >= node.Rank(0) || from[static_cast<std::size_t>(axis)] != 1) {
        return Unsupported("it removes a dimension that is not 1");
      }
      goes[static_cast<std::size_t>(axis)] = true;
    }
  }
  Dimensions shape;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (!goes[d]) shape.push_back(from[d]);
  }
  if (shape.empty()) shape = {1};
  return BindMxnetReshape(node, std::move(shape));
}

LoweredNode ConstantOf(const Integers& values) {
  ConstantTensor tensor({Dtype::kInt64, {static_cast<std::int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), tensor.As<std::int64_t>());
  LoweredNode bound;
  bound.constants.push_back(std::move(tensor));
  return bound;
}

LoweredNode BindShapeArray(const MxnetNode& node) { return ConstantOf(node.Shape(0)); }
LoweredNode BindSizeArray(const MxnetNode& node) {
  return ConstantOf({static_cast<std::int64_t>(Elements(node.Shape(0)))});
}

}  // namespace

const std::vector<MxnetBinding>& MxnetShapes() {
  static const std::vector<MxnetBinding> kTable = {
      {"Flatten", BindFlatten},
      {"Reshape", BindReshape},
      {"_npi_squeeze", BindSqueeze},
      {"expand_dims", BindExpandDims},
      {"reshape_like", BindReshapeLike, 2},
      {"shape_array", BindShapeArray},
      {"size_array", BindSizeArray},
      {"squeeze", BindSqueeze},
  };
  return kTable;
}

// MXNet operators whose results depend only on shapes: they become constants of a plan.

namespace {

LoweredNode BindConstant(ConstantTensor tensor) {
  LoweredNode bound;
  bound.constants.push_back(std::move(tensor));
  return bound;
}

LoweredNode BindFilled(TensorType type, double value) {
  if (!CheckSize(type)) return Unsupported(OutputProblem(type));
  return BindConstant(FilledTensor(std::move(type), value));
}

LoweredNode BindZerosLike(const MxnetNode& node) { return BindFilled(node.Input(0), 0); }
LoweredNode BindOnesLike(const MxnetNode& node) { return BindFilled(node.Input(0), 1); }

LoweredNode BindFill(const MxnetNode& node) {
  const std::string_view op = node.op();
  const double value = op == "_full" ? node.Number("value", 0) : op == "_ones" ? 1 : 0;
  return BindFilled({node.Type("dtype").value_or(Dtype::kFloat32), node.List("shape")}, value);
}

// start + step * i, each `repeat` times.
LoweredNode BindCounted(Dtype dtype, Dimensions shape, double start, double step,
                        std::int64_t repeat) {
  TensorType type{dtype, std::move(shape)};
  if (!CheckSize(type)) return Unsupported(OutputProblem(type));
  if (repeat < 1) return Unsupported("its repeat is less than 1");
  ConstantTensor tensor(type);
  const std::size_t count = Elements(type.dimensions);
  const bool is = WithNumber(dtype, [&]<typename T>(T*) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t steps = i / static_cast<std::size_t>(repeat);
      const double value = start + step * static_cast<double>(steps);
      Store(tensor.As<T>()[i], static_cast<Computed<T>>(value));
    }
  });
  return is ? BindConstant(std::move(tensor)) : Unsupported("its output type is not numeric");
}

// Without a stop, from 0 to the start.
LoweredNode BindArange(const MxnetNode& node) {
  const bool open = !node.HasAttribute("stop");
  if (node.Flag("infer_range", false))
    return Unsupported("its length depends on its reader (infer_range)");
  const double start = open ? 0 : node.Number("start", 0);
  const double stop = open ? node.Number("start", 0) : node.Number("stop", 0);
  const double step = node.Number("step", 1);
  const std::int64_t repeat = node.Integer("repeat", 1);
  const double count = step == 0 ? -1 : std::ceil((stop - start) / step);
  if (!(count >= 0 && count < 1e12) || repeat < 1 || repeat > 1000000) {
    return Unsupported("its range is invalid");
  }
  return BindCounted(node.Type("dtype").value_or(Dtype::kFloat32),
                     {static_cast<std::int64_t>(count) * repeat}, start, step, repeat);
}

// One element for each of the input's, or for each along an axis.
LoweredNode BindArangeLike(const MxnetNode& node) {
  Dimensions shape = node.Shape(0);
  if (node.HasAttribute("axis")) {
    const auto axis = node.Axis("axis", 0);
    if (!axis) return Unsupported("its axis is out of range");
    shape = {shape[static_cast<std::size_t>(*axis)]};
  }
  return BindCounted(node.Input(0).dtype, std::move(shape), node.Number("start", 0),
                     node.Number("step", 1), node.Integer("repeat", 1));
}

LoweredNode BindEye(const MxnetNode& node) {
  const std::int64_t rows = node.Integer("N", 0);
  const std::int64_t asked = node.Integer("M", 0);
  const std::int64_t columns = asked == 0 ? rows : asked;
  const TensorType type{node.Type("dtype").value_or(Dtype::kFloat32), {rows, columns}};
  if (!CheckSize(type)) return Unsupported(OutputProblem(type));
  const std::int64_t far = std::max(rows, columns);  // the diagonal is empty beyond
  const std::int64_t diagonal = std::clamp(node.Integer("k", 0), -far, far);
  ConstantTensor tensor(type);
  const bool is = WithNumber(type.dtype, [&]<typename T>(T*) {
    const std::int64_t first = std::max<std::int64_t>(0, -diagonal);
    for (std::int64_t row = first; row < rows && row + diagonal < columns; ++row) {
      Store(tensor.As<T>()[row * columns + row + diagonal], Computed<T>(1));
    }
  });
  return is ? BindConstant(std::move(tensor)) : Unsupported("its output type is not numeric");
}

}  // namespace

const std::vector<MxnetBinding>& MxnetFills() {
  static const std::vector<MxnetBinding> kTable = {
      {"_arange", BindArange, 0},  {"_contrib_arange_like", BindArangeLike},
      {"_eye", BindEye, 0},        {"_full", BindFill, 0},
      {"_ones", BindFill, 0},      {"_zeros", BindFill, 0},
      {"ones_like", BindOnesLike}, {"zeros_like", BindZerosLike},
  };
  return kTable;
}

}  // namespace opledger
