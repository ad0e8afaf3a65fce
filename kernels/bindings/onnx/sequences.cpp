// ONNX's sequences and optionals. They are lists of values that the plan resolves: nothing of them
// is left at run time, so positions, lengths and sizes must be known.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

LoweredNode GiveList(std::vector<int> elements) {
  LoweredNode bound;
  bound.list = std::move(elements);
  return bound;
}

LoweredNode GiveValue(int number) {
  LoweredNode bound;
  bound.kernel = "Identity";
  bound.inputs = {number};
  return bound;
}

LoweredNode GiveNumber(Dtype dtype, std::int64_t value) {
  LoweredNode bound;
  bound.constants.emplace_back(TensorType{dtype, {}});
  if (dtype == Dtype::kBool) {
    *bound.constants[0].As<std::uint8_t>() = value != 0 ? 1 : 0;
  } else {
    *bound.constants[0].As<std::int64_t>() = value;
  }
  return bound;
}

std::vector<int> ElementsOf(const OnnxNode& node, std::size_t input) {
  const ListedInput* list = node.ListAt(input);
  std::vector<int> elements(list == nullptr ? 0 : list->count);
  std::iota(elements.begin(), elements.end(), list == nullptr ? 0 : static_cast<int>(list->first));
  return elements;
}

bool HasList(const OnnxNode& node, std::size_t input) {
  const ListedInput* list = node.ListAt(input);
  return list != nullptr && !list->is_empty_optional;
}

LoweredNode NoSequence() {
  return Unsupported("its input is not a sequence that the planner knows");
}

// Position of an existing or new element. Returns nullopt, with a problem, if it is invalid.
std::optional<std::size_t> PlaceIn(const OnnxNode& node, std::size_t input, std::int64_t absent,
                                   std::int64_t end, Status& problem) {
  const bool said = input < node.inputs() && node.Has(input);
  const auto known = said ? node.KnownInteger(input) : absent;
  if (!known) {
    problem = NeedsValues("its position is computed at run time");
    return std::nullopt;
  }
  const std::int64_t count = static_cast<std::int64_t>(ElementsOf(node, 0).size());
  const std::int64_t at = *known < 0 ? *known + count : *known;
  if (at >= 0 && at < end) return static_cast<std::size_t>(at);
  problem = "its position " + std::to_string(*known) + " is outside of a sequence of " +
            std::to_string(count);
  return std::nullopt;
}

LoweredNode BindSequenceConstruct(const OnnxNode& node) {
  std::vector<int> elements;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    if (node.Has(i)) elements.push_back(static_cast<int>(i));
  }
  return GiveList(std::move(elements));
}

LoweredNode BindSequenceEmpty(const OnnxNode&) { return GiveList({}); }

LoweredNode BindSequenceAt(const OnnxNode& node) {
  if (!HasList(node, 0)) return NoSequence();
  const std::vector<int> elements = ElementsOf(node, 0);
  Status problem;
  const auto at = PlaceIn(node, 1, 0, static_cast<std::int64_t>(elements.size()), problem);
  return at ? GiveValue(elements[*at]) : Unsupported(problem);
}

LoweredNode BindSequenceInsert(const OnnxNode& node) {
  if (!HasList(node, 0)) return NoSequence();
  if (node.inputs() < 2 || !node.Has(1)) return Unsupported(MissingText(1));
  std::vector<int> elements = ElementsOf(node, 0);
  const auto count = static_cast<std::int64_t>(elements.size());
  Status problem;
  const auto at = PlaceIn(node, 2, count, count + 1, problem);
  if (!at) return Unsupported(problem);
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(*at), 1);
  return GiveList(std::move(elements));
}

LoweredNode BindSequenceErase(const OnnxNode& node) {
  if (!HasList(node, 0)) return NoSequence();
  std::vector<int> elements = ElementsOf(node, 0);
  const auto count = static_cast<std::int64_t>(elements.size());
  Status problem;
  const auto at = PlaceIn(node, 1, count - 1, count, problem);
  if (!at) return Unsupported(problem);
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*at));
  return GiveList(std::move(elements));
}

LoweredNode BindSequenceLength(const OnnxNode& node) {
  if (!HasList(node, 0)) return NoSequence();
  return GiveNumber(Dtype::kInt64, static_cast<std::int64_t>(ElementsOf(node, 0).size()));
}

// Sizes of the parts. Returns nullopt, with a problem, on failure.
std::optional<Integers> PartSizes(const OnnxNode& node, std::int64_t length, Status& problem) {
  constexpr std::int64_t kMaxParts = 1 << 16;
  std::int64_t each = 1;
  if (node.Has(1)) {
    auto known = node.KnownIntegers(1);
    if (!known) {
      problem = NeedsValues("its sizes are computed at run time");
      return std::nullopt;
    }
    if (node.Rank(1) > 0) return known;
    each = known->empty() ? 0 : (*known)[0];
  }
  if (each < 1 || length / each > kMaxParts) {
    problem = "its parts are empty, or too many";
    return std::nullopt;
  }
  Integers sizes;
  for (std::int64_t left = length; left > 0; left -= each) sizes.push_back(std::min(left, each));
  return sizes;
}

LoweredNode BindSplitToSequence(const OnnxNode& node) {
  const auto axis = AxisOf(node.Integer("axis", 0), node.Rank(0));
  if (!axis) return Unsupported("its axis is out of range");
  Status problem;
  const auto sizes = PartSizes(node, node.Shape(0)[static_cast<std::size_t>(*axis)], problem);
  if (!sizes) return Unsupported(problem);
  if (sizes->empty()) return GiveList({});
  CallChain chain(node);
  const int first = chain.Split(0, *axis, *sizes);
  std::vector<int> parts(sizes->size());
  std::iota(parts.begin(), parts.end(), first);
  if (!node.Has(1) && node.Integer("keepdims", 1) == 0) {
    Dimensions shape = node.Shape(0);
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
    for (int& part : parts) part = chain.Reshaped(part, shape);
  }
  return std::move(chain).FinishList(std::move(parts));
}

LoweredNode BindConcatFromSequence(const OnnxNode& node) {
  if (!HasList(node, 0)) return NoSequence();
  std::vector<int> elements = ElementsOf(node, 0);
  if (elements.empty()) return Unsupported("its sequence is empty");
  const bool stacks = node.Integer("new_axis", 0) != 0;
  const auto rank = [&](int element) { return node.Rank(static_cast<std::size_t>(element)); };
  const auto axis = AxisOf(node.Integer("axis", 0), rank(elements[0]) + (stacks ? 1 : 0));
  if (!axis) return Unsupported("its axis is out of range");
  CallChain chain(node);
  for (int& element : elements) {
    if (!stacks) break;
    Dimensions shape = node.Shape(static_cast<std::size_t>(element));
    if (rank(element) < *axis) return Unsupported("its tensors differ in rank");
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), 1);
    element = chain.Reshaped(element, shape);
  }
  LoweredNode bound = std::move(chain).Finish("Concat", elements);
  bound.parameters.Set("axis", *axis);
  return bound;
}

LoweredNode BindOptional(const OnnxNode& node) {
  if (HasList(node, 0)) return GiveList(ElementsOf(node, 0));
  if (node.Has(0)) return GiveValue(0);
  LoweredNode bound = GiveList({});
  bound.is_empty_optional = true;
  return bound;
}

LoweredNode BindOptionalGet(const OnnxNode& node) {
  if (HasList(node, 0)) return GiveList(ElementsOf(node, 0));
  return node.Has(0) ? GiveValue(0) : Unsupported("its optional is empty");
}

LoweredNode BindOptionalHas(const OnnxNode& node) {
  return GiveNumber(Dtype::kBool, node.Has(0) || HasList(node, 0) ? 1 : 0);
}

LoweredNode BindListIdentity(const OnnxNode& node) { return BindOptional(node); }

}  // namespace

const std::vector<OnnxBinding>& OnnxSequences() {
  static const std::vector<OnnxBinding> kTable = {
      {"ConcatFromSequence", BindConcatFromSequence},
      {"Identity", BindListIdentity},
      {"Optional", BindOptional},
      {"OptionalGetElement", BindOptionalGet},
      {"OptionalHasElement", BindOptionalHas},
      {"SequenceAt", BindSequenceAt},
      {"SequenceConstruct", BindSequenceConstruct},
      {"SequenceEmpty", BindSequenceEmpty},
      {"SequenceErase", BindSequenceErase},
      {"SequenceInsert", BindSequenceInsert},
      {"SequenceLength", BindSequenceLength},
      {"SplitToSequence", BindSplitToSequence},
  };
  return kTable;
}

}  // namespace opledger
