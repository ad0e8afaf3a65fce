// Shapes of the most common operators.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "conversion/model/operators/shape_rule.h"

namespace opledger {

std::string ShapeText(const Shape& shape) {
  std::string text;
  for (const std::int64_t each : shape) text += (text.empty() ? "" : ",") + std::to_string(each);
  return "[" + text + "]";
}

std::optional<std::size_t> AxisOf(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

std::int64_t StepAt(const Integers& list, std::size_t i, std::int64_t absent) {
  constexpr std::int64_t kMaxStep = std::int64_t{1} << 31;  // of attributes
  const std::int64_t value = i < list.size() ? list[i] : absent;
  return std::clamp(value, -kMaxStep, kMaxStep);
}

void SameShape(RuleContext& node) {
  if (const Shape* shape = node.Input(0)) node.SetShape(0, *shape);
}

// The output has the shape of its input, and its elements if they are known.
void PassedShape(RuleContext& node) {
  SameShape(node);
  if (const Integers* known = node.Known(0)) node.SetIntegers(*known);
}

void BroadcastShape(RuleContext& node) {
  Shape shape;
  for (std::size_t i = 0; i < node.InputCount(); ++i) {
    const Shape* input = node.Input(i);
    if (input == nullptr) return;
    const auto both = BroadcastShapes(shape, *input);
    if (!both) return node.ReportInputs(shape, *input);
    shape = *both;
  }
  node.SetShape(0, shape);
}

void MatMulShape(RuleContext& node) {
  const Shape* a = node.Input(0);
  const Shape* b = node.Input(1);
  if (a == nullptr || b == nullptr || a->empty() || b->empty()) return;
  const Shape left = a->size() == 1 ? Shape{} : Shape(a->begin(), a->end() - 2);
  const Shape right = b->size() == 1 ? Shape{} : Shape(b->begin(), b->end() - 2);
  auto shape = BroadcastShapes(left, right);
  if (!shape || a->back() != (b->size() == 1 ? b->front() : (*b)[b->size() - 2])) {
    return node.ReportInputs(*a, *b);
  }
  if (a->size() > 1) shape->push_back((*a)[a->size() - 2]);
  if (b->size() > 1) shape->push_back(b->back());
  node.SetShape(0, *shape);
}

void GemmShape(RuleContext& node) {
  const Shape* a = node.Input(0);
  const Shape* b = node.Input(1);
  if (a == nullptr || b == nullptr || a->size() != 2 || b->size() != 2) return;
  const bool turned_a = node.Integer("transA", 0) != 0;
  const bool turned_b = node.Integer("transB", 0) != 0;
  if ((*a)[turned_a ? 0 : 1] != (*b)[turned_b ? 1 : 0]) return node.ReportInputs(*a, *b);
  node.SetShape(0, {(*a)[turned_a ? 1 : 0], (*b)[turned_b ? 0 : 1]});
}

namespace {

// Computes spatial dimensions after a window; the first two are `batch` and `channels`.
void Window(RuleContext& node, std::int64_t channels, const Integers& kernel, bool is_pool) {
  const Shape& input = *node.Input(0);
  const Integers pads = node.List("pads");
  const Integers strides = node.List("strides");
  const Integers dilations = node.List("dilations");
  const std::size_t spatial = input.size() - 2;
  Shape shape = {input[0], channels};
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t size = input[i + 2];
    const std::int64_t stride = std::max<std::int64_t>(1, StepAt(strides, i, 1));
    const std::int64_t reach = StepAt(dilations, i, 1) * (StepAt(kernel, i, 1) - 1) + 1;
    if (node.Text("auto_pad").starts_with("SAME")) {
      shape.push_back((size + stride - 1) / stride);
      continue;
    }
    const std::int64_t room = size + StepAt(pads, i, 0) + StepAt(pads, i + spatial, 0) - reach;
    const std::int64_t up = node.Integer("ceil_mode", 0) != 0 ? stride - 1 : 0;
    // A pool's window may exceed the padded input by less than its stride.
    const bool fits = room >= 0 || (is_pool && room > -stride);
    std::int64_t positions = !fits ? -1 : room < 0 ? 1 : (room + up) / stride + 1;
    // A window that starts in the end padding does not count.
    if (up != 0 && positions > 1 && (positions - 1) * stride >= size + StepAt(pads, i, 0))
      --positions;
    shape.push_back(positions);
  }
  node.SetShape(0, shape);
}

}  // namespace

void ConvShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const Shape* weight = node.Input(1);
  if (input == nullptr || weight == nullptr || input->size() < 3) return;
  const std::int64_t groups = std::max<std::int64_t>(1, StepAt({node.Integer("group", 1)}, 0, 1));
  if (weight->size() != input->size() || (*weight)[1] > kMaxDimension / groups ||
      (*input)[1] != (*weight)[1] * groups) {
    return node.ReportInputs(*input, *weight);
  }
  Window(node, (*weight)[0], Integers(weight->begin() + 2, weight->end()), false);
}

void PoolShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  if (input != nullptr && input->size() > 2)
    Window(node, (*input)[1], node.List("kernel_shape"), true);
}

void GlobalPoolShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  if (input == nullptr || input->size() < 2) return;
  Shape shape(input->size(), 1);
  shape[0] = (*input)[0];
  shape[1] = (*input)[1];
  node.SetShape(0, shape);
}

void TransposeShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  if (input == nullptr) return;
  Shape shape(input->rbegin(), input->rend());
  const Integers order = node.List("perm");
  for (std::size_t i = 0; i < order.size() && i < shape.size(); ++i) {
    const auto from = AxisOf(order[i], input->size());
    if (!from) return;
    shape[i] = (*input)[*from];
  }
  node.SetShape(0, shape);
}

void ReshapeShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  auto wanted = node.AttributeOrInput("shape", 1);
  if (input == nullptr || !wanted || node.InputCount() < 1) return;
  std::uint64_t all = 1;
  for (const std::int64_t dimension : *input) {
    if (__builtin_mul_overflow(all, static_cast<std::uint64_t>(dimension), &all)) return;
  }
  std::uint64_t others = 1;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    std::int64_t& dimension = (*wanted)[i];
    if (dimension == -1) {
      open = i;
      continue;
    }
    const bool copied = dimension == 0 && node.Integer("allowzero", 0) == 0;
    if (copied && i < input->size()) dimension = (*input)[i];
    if (dimension < 0) return;
    if (__builtin_mul_overflow(others, static_cast<std::uint64_t>(dimension), &others)) return;
  }
  if (open && others != 0) (*wanted)[*open] = static_cast<std::int64_t>(all / others);
  node.SetShape(0, *wanted);
}

void FlattenShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  if (input == nullptr) return;
  std::int64_t axis = node.Integer("axis", 1);
  const auto rank = static_cast<std::int64_t>(input->size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return;
  Shape shape = {1, 1};
  for (std::int64_t i = 0; i < rank; ++i) {
    std::int64_t& dimension = shape[i < axis ? 0 : 1];
    if (__builtin_mul_overflow(dimension, (*input)[static_cast<std::size_t>(i)], &dimension))
      return;
  }
  node.SetShape(0, shape);
}

void UnsqueezeShape(RuleContext& node) {
  if (const Integers* known = node.Known(0)) node.SetIntegers(*known);
  const Shape* input = node.Input(0);
  const auto axes = node.AttributeOrInput("axes", 1);
  if (input == nullptr || !axes) return;
  const std::size_t rank = input->size() + axes->size();
  Shape shape(rank, 0);
  std::vector<bool> added(rank);
  for (const std::int64_t each : *axes) {
    const auto axis = AxisOf(each, rank);
    if (!axis || added[*axis]) return;
    added[*axis] = true;
  }
  std::size_t from = 0;
  for (std::size_t i = 0; i < rank; ++i) shape[i] = added[i] ? 1 : (*input)[from++];
  node.SetShape(0, shape);
}

void SqueezeShape(RuleContext& node) {
  if (const Integers* known = node.Known(0)) node.SetIntegers(*known);
  const Shape* input = node.Input(0);
  const auto axes = node.AttributeOrInput("axes", 1);
  if (input == nullptr || !axes) return;
  std::vector<bool> gone(input->size());
  for (const std::int64_t each : *axes) {
    const auto axis = AxisOf(each, input->size());
    if (!axis) return;
    gone[*axis] = true;
  }
  Shape shape;
  for (std::size_t i = 0; i < input->size(); ++i) {
    const bool drop = axes->empty() ? (*input)[i] == 1 : gone[i];
    if (!drop) shape.push_back((*input)[i]);
  }
  node.SetShape(0, shape);
}

void ReduceShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const auto axes = node.AttributeOrInput("axes", 1);
  if (input == nullptr || !axes) return;
  const bool noop = node.Integer("noop_with_empty_axes", 0) != 0;
  std::vector<bool> reduced(input->size(), axes->empty() && !noop);
  for (const std::int64_t each : *axes) {
    const auto axis = AxisOf(each, input->size());
    if (!axis) return;
    reduced[*axis] = true;
  }
  Shape shape;
  const bool keep = node.Integer("keepdims", 1) != 0;
  for (std::size_t i = 0; i < input->size(); ++i) {
    if (!reduced[i]) shape.push_back((*input)[i]);
    if (reduced[i] && keep) shape.push_back(1);
  }
  node.SetShape(0, shape);
}

void ConcatShape(RuleContext& node) {
  Integers integers;
  bool known = true;
  for (std::size_t i = 0; i < node.InputCount(); ++i) {
    const Integers* part = node.Known(i);
    known = known && part != nullptr;
    if (known) integers.insert(integers.end(), part->begin(), part->end());
  }
  if (known) node.SetIntegers(integers);
  const Shape* first = node.Input(0);
  const auto axis =
      first == nullptr ? std::nullopt : AxisOf(node.Integer("axis", 1), first->size());
  if (!axis) return;
  Shape shape = *first;
  for (std::size_t i = 1; i < node.InputCount(); ++i) {
    const Shape* input = node.Input(i);
    if (input == nullptr || input->size() != shape.size()) return;
    shape[*axis] = std::min(shape[*axis] + (*input)[*axis], kMaxDimension + 1);
  }
  node.SetShape(0, shape);
}

void GatherShape(RuleContext& node) {
  const Integers* numbers = node.Known(0);
  const Integers* at = node.Known(1);
  if (numbers != nullptr && at != nullptr && node.Integer("axis", 0) == 0) {
    Integers chosen;
    for (const std::int64_t each : *at) {
      if (const auto index = AxisOf(each, numbers->size())) chosen.push_back((*numbers)[*index]);
    }
    if (chosen.size() == at->size()) node.SetIntegers(chosen);
  }
  const Shape* data = node.Input(0);
  const Shape* indices = node.Input(1);
  const auto axis = data == nullptr ? std::nullopt : AxisOf(node.Integer("axis", 0), data->size());
  if (!axis || indices == nullptr) return;
  Shape shape(data->begin(), data->begin() + static_cast<std::ptrdiff_t>(*axis));
  shape.insert(shape.end(), indices->begin(), indices->end());
  shape.insert(shape.end(), data->begin() + static_cast<std::ptrdiff_t>(*axis) + 1, data->end());
  node.SetShape(0, shape);
}

void SplitShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const auto sizes = node.AttributeOrInput("split", 1);
  const auto axis =
      input == nullptr ? std::nullopt : AxisOf(node.Integer("axis", 0), input->size());
  if (!axis || !sizes) return;
  const auto parts = static_cast<std::int64_t>(node.OutputCount());
  std::int64_t left = (*input)[*axis];
  for (std::size_t i = 0; i < node.OutputCount(); ++i) {
    Shape shape = *input;
    const std::int64_t even = ((*input)[*axis] + parts - 1) / parts;
    shape[*axis] = i < sizes->size() ? (*sizes)[i] : std::min(even, left);
    left -= std::clamp<std::int64_t>(shape[*axis], 0, left);
    node.SetShape(i, shape);
  }
}

void ShapeOfInput(RuleContext& node) {
  const Shape* input = node.Input(0);
  if (input == nullptr) return;
  const auto rank = static_cast<std::int64_t>(input->size());
  const auto bound = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t begin = bound(node.Integer("start", 0));
  const std::int64_t end = std::max(begin, bound(node.Integer("end", rank)));
  node.SetIntegers({input->begin() + begin, input->begin() + end});
  node.SetShape(0, {end - begin});
}

void ShapeFromInput(RuleContext& node) {
  if (const Integers* shape = node.Known(0)) node.SetShape(0, *shape);
}

void ExpandShape(RuleContext& node) {
  const Shape* input = node.Input(0);
  const Integers* wanted = node.Known(1);
  if (input == nullptr || wanted == nullptr) return;
  if (const auto shape = BroadcastShapes(*input, *wanted)) node.SetShape(0, *shape);
}

void ShapeOfIndices(RuleContext& node) {
  if (const Shape* indices = node.Input(1)) node.SetShape(0, *indices);
}

void ArithmeticShape(RuleContext& node) {
  BroadcastShape(node);
  ArithmeticIntegers(node);
}

void EqualShape(RuleContext& node) {
  BroadcastShape(node);
  EqualIntegers(node);
}

void WhereShape(RuleContext& node) {
  BroadcastShape(node);
  WhereIntegers(node);
}

}  // namespace opledger
