// Ranges of operators that move elements of their inputs, some with zeros in between.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

std::vector<std::size_t> Strides(const Shape& shape) {
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * static_cast<std::size_t>(shape[i]);
  }
  return strides;
}

// Returns, for each element of a tensor of `shape`, its index in the input. `source` returns the
// offset for an index along a dimension. Returns nullopt if there are too many elements or an index
// is out of range.
using Source = std::function<std::optional<std::size_t>(std::size_t dimension, std::size_t index)>;
std::optional<std::vector<std::size_t>> Positions(const Shape& shape, const Source& source) {
  const std::uint64_t count = CountOf(shape);
  if (count > kMaxElements) return std::nullopt;
  const std::vector<std::size_t> strides = Strides(shape);
  std::vector<std::size_t> from(count);
  for (std::size_t at = 0; at < count; ++at) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::size_t index = at / strides[i] % static_cast<std::size_t>(shape[i]);
      const auto offset = source(i, index);
      if (!offset) return std::nullopt;
      from[at] += *offset;
    }
  }
  return from;
}

// Sets the input with its elements moved, or only its common range.
void Rearrange(RangeContext& node, const Shape& shape, const Source& source) {
  const TensorRange& input = node.Input(0);
  const auto from = Positions(shape, source);
  if (!from || input.elements == nullptr) return node.Set(input.all);
  const std::size_t count = input.elements->numbers.size();
  const bool inside =
      std::all_of(from->begin(), from->end(), [&](std::size_t each) { return each < count; });
  if (!inside) return node.Set(input.all);
  node.Set(Rearranged(input, shape, *from));
}

const Shape* ElementShape(const TensorRange& range) {
  return range.elements == nullptr ? nullptr : &range.elements->shape;
}

// The dimensions that Slice cuts: begin and step of each, and the resulting shape.
struct Cut {
  Shape shape;
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> step;
};

std::optional<Cut> CutOf(const Shape& shape, const Integers& starts, const Integers& ends,
                         const Integers& axes, const Integers& steps) {
  Cut cut = {shape, Shape(shape.size(), 0), Shape(shape.size(), 1)};
  for (std::size_t i = 0; i < starts.size() && i < ends.size(); ++i) {
    const auto axis =
        AxisOf(i < axes.size() ? axes[i] : static_cast<std::int64_t>(i), shape.size());
    if (!axis) return std::nullopt;
    const std::size_t at = *axis;
    const std::int64_t size = shape[at];
    const std::int64_t step = i < steps.size() ? steps[i] : 1;
    if (step == 0) return std::nullopt;
    const auto bound = [&](std::int64_t place, std::int64_t least, std::int64_t most) {
      return std::clamp(place < 0 ? std::max(place, -size - 1) + size : place, least, most);
    };
    const std::int64_t begin = bound(starts[i], 0, step > 0 ? size : size - 1);
    const std::int64_t end = bound(ends[i], step > 0 ? 0 : -1, size);
    const std::int64_t room = step > 0 ? end - begin : begin - end;
    const std::int64_t stride = std::abs(std::max(step, -size - 1));
    cut.shape[at] = room <= 0 ? 0 : (room + stride - 1) / stride;
    cut.begin[at] = begin;
    cut.step[at] = step;
  }
  return cut;
}

Range WithZero(const Range& range) { return Hull(range, Range::Point(0)); }

}  // namespace

void SameRanges(RangeContext& node) { node.Set(node.Input(0)); }

// Some of the elements, moved.
void BoundsRanges(RangeContext& node) { node.Set(node.In(0)); }

void EmptyRanges(RangeContext& node) { node.Set(Range::Nothing()); }

// The elements of a sequence and those inserted into it. Skips an index.
void HullRanges(RangeContext& node) {
  Range hull = Range::Nothing();
  for (std::size_t i = 0; i < node.InputCount(); ++i) {
    if (node.InputType(i) != Dtype::kInt64 || node.Op() == "SequenceConstruct") {
      hull = Hull(hull, node.In(i));
    }
  }
  node.Set(hull);
}

void ReshapedRanges(RangeContext& node) {
  const TensorRange& input = node.Input(0);
  const Shape* shape = node.OutputShape(0);
  if (input.elements == nullptr) return node.Set(input);
  if (shape == nullptr || CountOf(*shape) != input.elements->numbers.size()) {
    return node.Set(input.all);
  }
  node.Set(OfElements(*shape, input.elements->numbers));
}

void TransposeRanges(RangeContext& node) {
  const TensorRange& input = node.Input(0);
  const Shape* shape = ElementShape(input);
  if (shape == nullptr) return node.Set(input);
  Integers order = node.List("perm");
  if (order.empty()) order = node.List("axes");
  if (order.empty()) {
    for (std::size_t i = shape->size(); i-- > 0;) order.push_back(static_cast<std::int64_t>(i));
  }
  if (order.size() != shape->size()) return node.Set(input.all);
  Shape turned;
  for (const std::int64_t each : order) {
    if (each < 0 || each >= static_cast<std::int64_t>(shape->size())) return node.Set(input.all);
    turned.push_back((*shape)[static_cast<std::size_t>(each)]);
  }
  const std::vector<std::size_t> strides = Strides(*shape);
  Rearrange(node, turned, [&](std::size_t i, std::size_t index) {
    return index * strides[static_cast<std::size_t>(order[i])];
  });
}

void SliceRanges(RangeContext& node) {
  const TensorRange& input = node.Input(0);
  const Shape* shape = ElementShape(input);
  const auto starts = node.AttributeOrInput("starts", 1);
  const auto ends = node.AttributeOrInput("ends", 2);
  const auto axes = node.AttributeOrInput("axes", 3);
  const auto steps = node.AttributeOrInput("steps", 4);
  if (shape == nullptr || !starts || !ends || !axes || !steps) return node.Set(input.all);
  const auto cut = CutOf(*shape, *starts, *ends, *axes, *steps);
  if (!cut) return node.Set(input.all);
  const std::vector<std::size_t> strides = Strides(*shape);
  Rearrange(node, cut->shape, [&](std::size_t i, std::size_t index) {
    const std::int64_t at = cut->begin[i] + static_cast<std::int64_t>(index) * cut->step[i];
    return static_cast<std::size_t>(at) * strides[i];
  });
}

void GatherRanges(RangeContext& node) {
  const TensorRange& data = node.Input(0);
  const auto indices = node.Input(1).Integers();
  const Shape* shape = ElementShape(data);
  if (shape == nullptr || !indices || shape->empty()) return node.Set(data.all);
  const auto axis = AxisOf(node.Integer("axis", 0), shape->size());
  if (!axis) return node.Set(data.all);
  const std::size_t at = *axis;
  const auto split = shape->begin() + static_cast<std::ptrdiff_t>(at);
  const Shape& chosen = node.Input(1).elements->shape;
  Shape result(shape->begin(), split);
  result.insert(result.end(), chosen.begin(), chosen.end());
  result.insert(result.end(), split + 1, shape->end());
  const std::vector<std::size_t> strides = Strides(*shape);
  // Treats the dimensions of the indices as one.
  const std::uint64_t count = CountOf(result);
  if (count > kMaxElements) return node.Set(data.all);
  const std::size_t inner = strides[at];
  const std::size_t size = static_cast<std::size_t>((*shape)[at]);
  std::vector<std::size_t> from(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t within = i % inner;
    const std::size_t which = i / inner % indices->size();
    const std::size_t outer = i / inner / indices->size();
    std::int64_t index = (*indices)[which];
    index += index < 0 ? static_cast<std::int64_t>(size) : 0;
    if (index < 0 || index >= static_cast<std::int64_t>(size)) return node.Set(data.all);
    from[i] = (outer * size + static_cast<std::size_t>(index)) * inner + within;
  }
  node.Set(Rearranged(data, std::move(result), from));
}

void ConcatRanges(RangeContext& node) {
  TensorRange whole = {Range::Nothing(), nullptr};
  bool known = node.InputCount() > 0;
  for (std::size_t i = 0; i < node.InputCount(); ++i) {
    whole.all = Hull(whole.all, node.In(i));
    known = known && node.Input(i).elements != nullptr;
  }
  if (!known) return node.Set(whole);
  Shape shape = node.Input(0).elements->shape;
  const auto axis = AxisOf(node.Integer("axis", 1), shape.size());
  if (!axis) return node.Set(whole);
  const std::size_t at = *axis;
  std::size_t outer = 1;
  for (std::size_t i = 0; i < at; ++i) outer *= static_cast<std::size_t>(shape[i]);
  shape[at] = 0;
  std::vector<Range> numbers;
  for (std::size_t row = 0; row < outer; ++row) {
    for (std::size_t i = 0; i < node.InputCount(); ++i) {
      const ElementRanges& part = *node.Input(i).elements;
      if (part.shape.size() != shape.size()) return node.Set(whole);
      const std::size_t length = part.numbers.size() / std::max<std::size_t>(outer, 1);
      const auto begin = part.numbers.begin() + static_cast<std::ptrdiff_t>(row * length);
      numbers.insert(numbers.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
      if (row == 0) shape[at] += part.shape[at];
    }
  }
  if (CountOf(shape) != numbers.size()) return node.Set(whole);
  node.Set(OfElements(shape, std::move(numbers)));
}

void SplitRanges(RangeContext& node) {
  const TensorRange& input = node.Input(0);
  for (std::size_t i = 0; i < node.OutputCount(); ++i) node.Set(input.all, i);
  const Shape* shape = ElementShape(input);
  const auto sizes = node.AttributeOrInput("split", 1);
  if (shape == nullptr || !sizes) return;
  const auto axis = AxisOf(node.Integer("axis", 0), shape->size());
  if (!axis) return;
  const std::size_t at = *axis;
  const auto parts = static_cast<std::int64_t>(node.OutputCount());
  const std::int64_t even = ((*shape)[at] + parts - 1) / parts;
  const std::vector<std::size_t> strides = Strides(*shape);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < node.OutputCount(); ++i) {
    Shape part = *shape;
    part[at] = i < sizes->size() ? (*sizes)[i] : std::min(even, (*shape)[at] - begin);
    if (part[at] < 0 || begin + part[at] > (*shape)[at]) return;
    const auto from = Positions(part, [&](std::size_t dimension, std::size_t index) {
      const std::size_t first = dimension == at ? static_cast<std::size_t>(begin) : 0;
      return std::optional((first + index) * strides[dimension]);
    });
    if (from) node.Set(Rearranged(input, part, *from), i);
    begin += part[at];
  }
}

void ExpandRanges(RangeContext& node) {
  const auto shape = node.Input(1).Integers();
  if (!shape || CountOf(*shape) > kMaxElements) return node.Set(node.In(0));
  std::vector<Range> numbers(CountOf(*shape));
  node.Set(Mapped(node.Input(0), OfElements(*shape, std::move(numbers)),
                  [](const Range& each, const Range&) { return each; }));
}

void TileRanges(RangeContext& node) {
  const TensorRange& input = node.Input(0);
  const auto repeats = node.Input(1).Integers();
  const Shape* shape = ElementShape(input);
  if (shape == nullptr || !repeats || repeats->size() != shape->size()) {
    return node.Set(input.all);
  }
  Shape tiled = *shape;
  for (std::size_t i = 0; i < tiled.size(); ++i) {
    if (__builtin_mul_overflow(tiled[i], (*repeats)[i], &tiled[i])) return node.Set(input.all);
  }
  if (CountOf(tiled) == 0) return node.Set(input.all);
  const std::vector<std::size_t> strides = Strides(*shape);
  Rearrange(node, tiled, [&](std::size_t i, std::size_t index) {
    return index % static_cast<std::size_t>((*shape)[i]) * strides[i];
  });
}

void PadRanges(RangeContext& node) {
  const std::string_view mode = node.Text("mode");
  const TensorRange& input = node.Input(0);
  if (!mode.empty() && mode != "constant") return node.Set(input.all);
  const Range filled = node.HasInput(2) ? node.In(2) : Range::Point(node.Number("value", 0));
  const auto pads = node.AttributeOrInput("pads", 1);
  const bool adds =
      !pads || std::any_of(pads->begin(), pads->end(), [](auto each) { return each > 0; });
  if (!adds) return node.Set(input.all);
  const Shape* shape = ElementShape(input);
  const bool all =
      shape != nullptr && pads && !node.HasInput(3) && pads->size() == 2 * shape->size();
  if (!all) return node.Set(Hull(input.all, filled));
  Shape padded = *shape;
  for (std::size_t i = 0; i < padded.size(); ++i) {
    padded[i] += (*pads)[i] + (*pads)[i + padded.size()];
  }
  const std::uint64_t count = CountOf(padded);
  if (count > kMaxElements) return node.Set(Hull(input.all, filled));
  const std::vector<std::size_t> strides = Strides(padded);
  const std::vector<std::size_t> own = Strides(*shape);
  std::vector<Range> numbers(count, filled);
  for (std::size_t at = 0; at < count; ++at) {
    std::size_t from = 0;
    bool inside = true;
    for (std::size_t i = 0; i < padded.size(); ++i) {
      const auto index =
          static_cast<std::int64_t>(at / strides[i] % static_cast<std::size_t>(padded[i])) -
          (*pads)[i];
      inside = inside && index >= 0 && index < (*shape)[i];
      if (inside) from += static_cast<std::size_t>(index) * own[i];
    }
    if (inside) numbers[at] = input.elements->numbers[from];
  }
  node.Set(OfElements(padded, std::move(numbers)));
}

void WithZeroRanges(RangeContext& node) { node.Set(WithZero(node.In(0))); }

void ScatterRanges(RangeContext& node) {
  const std::string_view reduction = node.Text("reduction");
  const std::size_t updates = 2;
  if (!reduction.empty() && reduction != "none" && reduction != "max" && reduction != "min") return;
  node.Set(Hull(node.In(0), node.In(updates)));
}

void ResizeRanges(RangeContext& node) {
  const std::string_view mode = node.Text("mode");
  if (mode == "cubic") return;
  Range result = node.In(0);
  const bool outside = node.Text("coordinate_transformation_mode") == "tf_crop_and_resize";
  if (outside) result = Hull(result, Range::Point(node.Number("extrapolation_value", 0)));
  if (mode.empty() || mode == "nearest") return node.Set(result);
  const Range input = result;
  result.integer = false;
  result.zero = result.zero || (result.low < 0 && result.high > 0);
  if (result.zero) result.gap = 0;  // between zero and the smallest of the others
  // Infinity may be multiplied by a weight of zero or added to the opposite infinity.
  result.nan = result.nan || input.MayBeInfinite();
  result = InFloat32(result, 0x1p-18);
  if (input.low >= 0) result.low = std::max(result.low, 0.0);
  if (input.high <= 0) result.high = std::min(result.high, 0.0);
  node.Set(Tightened(result));
}

void GridSampleRanges(RangeContext& node) {
  const std::string_view mode = node.Text("mode");
  if (mode == "cubic" || mode == "bicubic") return;
  Range result = WithZero(node.In(0));
  result.gap = 0;
  result.integer = false;
  // The grid may be infinite, or infinity may be multiplied by a weight of zero.
  result.nan =
      result.nan || node.In(0).MayBeInfinite() || node.In(1).nan || node.In(1).MayBeInfinite();
  node.Set(InFloat32(result, 0x1p-18));
}

// Inference does not drop elements.
void DropoutRanges(RangeContext& node) {
  const bool trains = node.HasInput(2) || node.Integer("is_test", 1) == 0;
  if (!trains) node.Set(node.Input(0));
  const auto mask = node.OutputType(1);
  node.Set(mask == Dtype::kBool ? Range::Integers(0, 1) : Range(), 1);
}

}  // namespace opledger
