// Shapes of operators that compute dimensions by arithmetic (docs/Operators.md of ONNX).
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "conversion/model/operators/shape_rule.h"

namespace opledger {
namespace {

// The indices that a slice takes along a dimension: the first one, and how many.
struct Taken {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

Taken TakenOf(std::int64_t size, std::int64_t begin, std::int64_t end, std::int64_t step) {
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? size : size - 1;
  if (begin < 0) begin += size;
  if (end < 0) end += size;
  begin = std::clamp(begin, step > 0 ? 0 : std::min<std::int64_t>(0, high), std::max(low, high));
  end = std::clamp(end, low, std::max(low, high));
  const std::int64_t room = step > 0 ? end - begin : begin - end;
  const std::int64_t each = step > 0 ? step : -step;
  return {begin, room <= 0 ? 0 : (room - 1) / each + 1};
}

Integers UpTo(std::size_t count) {
  Integers axes(count);
  for (std::size_t i = 0; i < count; ++i) axes[i] = static_cast<std::int64_t>(i);
  return axes;
}

// Multiplies the dimensions by `scales` as ONNX does: in float32, rounded down.
void Scale(RuleContext& node, const std::vector<float>& scales, const Integers& axes) {
  const Shape* input = node.Input(0);
  if (input == nullptr || scales.size() != axes.size()) return;
  Shape shape = *input;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = AxisOf(axes[i], shape.size());
    if (!axis) return;
    const float scaled = std::floor(static_cast<float>(shape[*axis]) * scales[i]);
    if (!(scaled >= 0 && scaled <= static_cast<float>(kMaxDimension))) return;
    shape[*axis] = static_cast<std::int64_t>(scaled);
  }
  node.SetShape(0, shape);
}

}  // namespace

void SliceShape(RuleContext& node) {
  const Integers* numbers = node.Known(0);
  const auto starts = node.AttributeOrInput("starts", 1);
  const auto ends = node.AttributeOrInput("ends", 2);
  const auto steps = node.AttributeOrInput("steps", 4);
  auto axes = node.AttributeOrInput("axes", 3);
  if (!starts || !ends || !steps || !axes || starts->size() != ends->size()) return;
  if (axes->empty()) axes = UpTo(starts->size());
  if (axes->size() != starts->size() || (!steps->empty() && steps->size() != starts->size()))
    return;
  const Shape* input = node.Input(0);
  const Shape own = {numbers == nullptr ? 0 : static_cast<std::int64_t>(numbers->size())};
  if (input == nullptr && numbers == nullptr) return;
  Shape shape = input == nullptr ? own : *input;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto axis = AxisOf((*axes)[i], shape.size());
    const std::int64_t step =
        steps->empty() ? 1 : std::clamp<std::int64_t>((*steps)[i], -kMaxDimension, kMaxDimension);
    if (!axis || step == 0) return;
    const Taken taken = TakenOf(shape[*axis], (*starts)[i], (*ends)[i], step);
    if (numbers != nullptr && shape.size() == 1 && axes->size() == 1 && shape[0] == own[0]) {
      Integers chosen;
      for (std::int64_t at = 0; at < taken.count; ++at) {
        chosen.push_back((*numbers)[static_cast<std::size_t>(taken.begin + at * step)]);
      }
      node.SetIntegers(chosen);
    }
    shape[*axis] = taken.count;
  }
  node.SetShape(0, shape);
}

void PadShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const auto pads = node.AttributeOrInput(node.Has("paddings") ? "paddings" : "pads", 1);
  auto axes = node.AttributeOrInput("axes", 3);
  if (input == nullptr || !pads || !axes) return;
  if (axes->empty()) axes = UpTo(input->size());
  if (pads->size() != 2 * axes->size()) return;
  Shape shape = *input;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto axis = AxisOf((*axes)[i], shape.size());
    if (!axis) return;
    shape[*axis] += StepAt(*pads, i, 0) + StepAt(*pads, i + axes->size(), 0);
  }
  node.SetShape(0, shape);
}

void TileShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const Integers* repeats = node.Known(1);
  if (input == nullptr || repeats == nullptr || node.InputCount() != 2) return;
  if (repeats->size() != input->size()) return;
  Shape shape = *input;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (__builtin_mul_overflow(shape[i], (*repeats)[i], &shape[i])) return;
  }
  node.SetShape(0, shape);
}

void ResizeShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  if (input == nullptr) return;
  Integers axes = node.List("axes");
  if (axes.empty()) axes = UpTo(input->size());
  const bool first = node.Opset() < 11;  // then scales are input 1
  if (!first && node.HasInput(3)) {
    const Integers* sizes = node.Known(3);
    const std::string_view policy = node.Text("keep_aspect_ratio_policy");
    if (sizes == nullptr || sizes->size() != axes.size()) return;
    if (!policy.empty() && policy != "stretch") return;
    Shape shape = *input;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto axis = AxisOf(axes[i], shape.size());
      if (!axis) return;
      shape[*axis] = (*sizes)[i];
    }
    node.SetShape(0, shape);
    return;
  }
  if (const auto scales = node.Numbers(first ? 1 : 2)) Scale(node, *scales, axes);
}

void UpsampleShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  if (input == nullptr) return;
  if (node.Has("scales")) Scale(node, node.Floats("scales"), UpTo(input->size()));
  if (const auto scales = node.Numbers(1)) Scale(node, *scales, UpTo(input->size()));
}

void DepthToSpaceShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const std::int64_t block = StepAt({node.Integer("blocksize", 0)}, 0, 0);
  if (input == nullptr || input->size() != 4 || block <= 0) return;
  node.SetShape(
      0, {(*input)[0], (*input)[1] / (block * block), (*input)[2] * block, (*input)[3] * block});
}

void SpaceToDepthShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const std::int64_t block = StepAt({node.Integer("blocksize", 0)}, 0, 0);
  constexpr std::int64_t kMaxBlock = 1 << 16;
  if (input == nullptr || input->size() != 4 || block <= 0 || block > kMaxBlock) return;
  std::int64_t channels = 0;
  if (__builtin_mul_overflow((*input)[1], block * block, &channels)) return;
  node.SetShape(0, {(*input)[0], channels, (*input)[2] / block, (*input)[3] / block});
}

void ConvTransposeShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const Shape* weight = node.Input(1);
  if (input == nullptr || weight == nullptr || input->size() < 3) return;
  if (weight->size() != input->size()) return;
  const std::size_t spatial = input->size() - 2;
  const Integers pads = node.List("pads");
  const Integers strides = node.List("strides");
  const Integers dilations = node.List("dilations");
  const Integers given = node.List("output_shape");
  const Integers more = node.List("output_padding");
  const std::int64_t group = StepAt({node.Integer("group", 1)}, 0, 1);
  Shape shape = {(*input)[0], std::min((*weight)[1], kMaxDimension) * group};
  if (group < 1 || (*weight)[1] > kMaxDimension / group) return;
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t size = std::min((*input)[i + 2], kMaxDimension >> 8);
    const std::int64_t stride = std::clamp<std::int64_t>(StepAt(strides, i, 1), 1, 1 << 20);
    const std::int64_t kernel = std::min<std::int64_t>((*weight)[i + 2], 1 << 20);
    const std::int64_t reach =
        std::clamp<std::int64_t>(StepAt(dilations, i, 1), 1, 1 << 20) * (kernel - 1) + 1;
    if (!given.empty()) {
      shape.push_back(StepAt(given, given.size() >= spatial ? given.size() - spatial + i : i, -1));
    } else if (node.Text("auto_pad").starts_with("SAME")) {
      shape.push_back(size * stride);
    } else {
      shape.push_back(stride * (size - 1) + StepAt(more, i, 0) + reach - StepAt(pads, i, 0) -
                      StepAt(pads, i + spatial, 0));
    }
  }
  node.SetShape(0, shape);
}

void RecurrentShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const Shape* recurrence = node.Input(2);
  if (input == nullptr || input->size() != 3) return;
  const std::int64_t hidden = node.Integer(
      "hidden_size", recurrence != nullptr && recurrence->size() == 3 ? recurrence->back() : -1);
  const std::int64_t directions = node.Text("direction") == "bidirectional" ? 2 : 1;
  const bool batch_first = node.Integer("layout", 0) != 0;
  const std::int64_t steps = (*input)[batch_first ? 1 : 0];
  const std::int64_t batch = (*input)[batch_first ? 0 : 1];
  node.SetShape(0, batch_first ? Shape{batch, steps, directions, hidden}
                               : Shape{steps, directions, batch, hidden});
  const Shape last =
      batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  node.SetShape(1, last);
  node.SetShape(2, last);
}

void TopKShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const auto count =
      node.Has("k") ? std::optional(Integers{node.Integer("k", 0)}) : node.AttributeOrInput("k", 1);
  const auto axis =
      input == nullptr ? std::nullopt : AxisOf(node.Integer("axis", -1), input->size());
  if (!axis || !count || count->size() != 1) return;
  Shape shape = *input;
  shape[*axis] = count->front();
  node.SetShape(0, shape);
  node.SetShape(1, shape);
}

void ArgShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const auto axis =
      input == nullptr ? std::nullopt : AxisOf(node.Integer("axis", 0), input->size());
  if (!axis) return;
  Shape shape = *input;
  shape[*axis] = 1;
  if (node.Integer("keepdims", 1) == 0) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  node.SetShape(0, shape);
}

}  // namespace opledger
