// Works element by element if elements are known.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/ranges/tensor_range.h"

#include <algorithm>

namespace opledger {
namespace {

using Shape = std::vector<std::int64_t>;

// Returns the index into a tensor of `shape` that is broadcast to index `at` of `whole`.
std::size_t BroadcastPosition(const Shape& shape, const Shape& whole, std::size_t at) {
  std::size_t position = 0;
  std::size_t stride = 1;
  for (std::size_t i = 1; i <= whole.size(); ++i) {
    const auto dimension = static_cast<std::size_t>(whole[whole.size() - i]);
    const std::size_t index = at % dimension;
    at /= dimension;
    if (i > shape.size()) continue;
    const auto own = static_cast<std::size_t>(shape[shape.size() - i]);
    if (own != 1) position += index * stride;
    stride *= own;
  }
  return position;
}

}  // namespace

std::optional<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 1; i <= shape.size(); ++i) {
    const std::int64_t left = i <= a.size() ? a[a.size() - i] : 1;
    const std::int64_t right = i <= b.size() ? b[b.size() - i] : 1;
    if (left != right && left != 1 && right != 1) return std::nullopt;
    shape[shape.size() - i] = left == 1 ? right : left;
  }
  return shape;
}

std::optional<std::vector<std::int64_t>> TensorRange::Integers() const {
  if (elements == nullptr) return std::nullopt;
  std::vector<std::int64_t> integers;
  for (const Range& each : elements->numbers) {
    if (!each.IsPoint() || !each.integer || each.Magnitude() > 0x1p62) return std::nullopt;
    integers.push_back(static_cast<std::int64_t>(each.low));
  }
  return integers;
}

std::uint64_t CountOf(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0 ||
        __builtin_mul_overflow(count, static_cast<std::uint64_t>(dimension), &count)) {
      return ~std::uint64_t{0};
    }
  }
  return count;
}

TensorRange OfElements(Shape shape, std::vector<Range> numbers) {
  TensorRange range = {Range::Nothing(), nullptr};
  for (const Range& each : numbers) range.all = Hull(range.all, each);
  if (numbers.size() <= kMaxElements && CountOf(shape) == numbers.size()) {
    range.elements =
        std::make_shared<const ElementRanges>(ElementRanges{std::move(shape), std::move(numbers)});
  }
  return range;
}

TensorRange HullOf(const TensorRange& a, const TensorRange& b) {
  const bool alike =
      a.elements != nullptr && b.elements != nullptr && a.elements->shape == b.elements->shape;
  if (!alike) return {Hull(a.all, b.all), nullptr};
  if (a.elements == b.elements) return a;
  std::vector<Range> numbers = a.elements->numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = Hull(numbers[i], b.elements->numbers[i]);
  }
  return OfElements(a.elements->shape, std::move(numbers));
}

TensorRange Rounded(const TensorRange& range, Dtype dtype) {
  return Mapped(range, [&](const Range& each) { return Rounded(each, dtype); });
}

TensorRange Mapped(const TensorRange& a, const std::function<Range(const Range&)>& function) {
  if (a.elements == nullptr) return {function(a.all), nullptr};
  std::vector<Range> numbers;
  numbers.reserve(a.elements->numbers.size());
  for (const Range& each : a.elements->numbers) numbers.push_back(function(each));
  return OfElements(a.elements->shape, std::move(numbers));
}

TensorRange Mapped(const TensorRange& a, const TensorRange& b,
                   const std::function<Range(const Range&, const Range&)>& function) {
  const bool known = a.elements != nullptr && b.elements != nullptr;
  const auto shape =
      known ? BroadcastShapes(a.elements->shape, b.elements->shape) : std::optional<Shape>();
  if (!shape || CountOf(*shape) > kMaxElements) return {function(a.all, b.all), nullptr};
  std::vector<Range> numbers(CountOf(*shape));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = function(a.elements->numbers[BroadcastPosition(a.elements->shape, *shape, i)],
                          b.elements->numbers[BroadcastPosition(b.elements->shape, *shape, i)]);
  }
  return OfElements(*shape, std::move(numbers));
}

TensorRange Rearranged(const TensorRange& a, Shape shape, const std::vector<std::size_t>& from) {
  if (a.elements == nullptr) return {a.all, nullptr};
  std::vector<Range> numbers;
  numbers.reserve(from.size());
  for (const std::size_t each : from) numbers.push_back(a.elements->numbers[each]);
  return OfElements(std::move(shape), std::move(numbers));
}

}  // namespace opledger
