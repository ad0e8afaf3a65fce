// What is known of all numbers of a tensor, and of each of them where they are few: constants, and
// what is computed from them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "conversion/model/ranges/ranges.h"

namespace opledger {

// A tensor with more numbers is known by its bounds only.
inline constexpr std::size_t kMaxElements = 512;

struct ElementRanges {
  std::vector<std::int64_t> shape;
  std::vector<Range> numbers;  // in row-major order
};

struct TensorRange {
  Range all;
  std::shared_ptr<const ElementRanges> elements;  // nullptr: they are not known one by one

  // Whether the tensor is known to hold this one number, however often.
  bool IsPoint() const { return all.IsPoint(); }
  // The tensor's only number or numbers, if each is known; as integers, if they are.
  std::optional<std::vector<std::int64_t>> Integers() const;
};

// `numbers` have the shape; more than kMaxElements are kept as bounds.
TensorRange OfElements(std::vector<std::int64_t> shape, std::vector<Range> numbers);

// The shape to which both are broadcast; none: they do not fit.
std::optional<std::vector<std::int64_t>> BroadcastShapes(const std::vector<std::int64_t>& a,
                                                         const std::vector<std::int64_t>& b);

// The product of the dimensions; the largest number there is, if 64 bits do not hold it.
std::uint64_t CountOf(const std::vector<std::int64_t>& shape);

TensorRange HullOf(const TensorRange& a, const TensorRange& b);
TensorRange Rounded(const TensorRange& range, Dtype dtype);

// The function applied to each number; to the bounds where numbers are not known one by one.
TensorRange Mapped(const TensorRange& a, const std::function<Range(const Range&)>& function);
// The same for two tensors that are broadcast to each other.
TensorRange Mapped(const TensorRange& a, const TensorRange& b,
                   const std::function<Range(const Range&, const Range&)>& function);

// The elements `from[i]` of `a` in a new shape. Without known elements: the bounds.
TensorRange Rearranged(const TensorRange& a, std::vector<std::int64_t> shape,
                       const std::vector<std::size_t>& from);

}  // namespace opledger
