// The range of a tensor, and of each element if there are few: constants and values computed from
// them.
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

// Larger tensors have only a common range.
inline constexpr std::size_t kMaxElements = 512;

struct ElementRanges {
  std::vector<std::int64_t> shape;
  std::vector<Range> numbers;  // in row-major order
};

struct TensorRange {
  Range all;
  std::shared_ptr<const ElementRanges> elements;  // nullptr: elements are not known individually

  // Returns whether all elements are known to be the same number.
  bool IsPoint() const { return all.IsPoint(); }
  // Returns the elements as integers, or nullopt if not all are known integers.
  std::optional<std::vector<std::int64_t>> Integers() const;
};

// `numbers` must fit the shape. If there are more than kMaxElements, keeps only their common range.
TensorRange OfElements(std::vector<std::int64_t> shape, std::vector<Range> numbers);

// Returns the shape to which both are broadcast, or nullopt if they do not fit.
std::optional<std::vector<std::int64_t>> BroadcastShapes(const std::vector<std::int64_t>& a,
                                                         const std::vector<std::int64_t>& b);

// Returns the product of the dimensions, or the largest integer if it overflows 64 bits.
std::uint64_t CountOf(const std::vector<std::int64_t>& shape);

TensorRange HullOf(const TensorRange& a, const TensorRange& b);
TensorRange Rounded(const TensorRange& range, Dtype dtype);

// Applies the function to each element, or to the common range if elements are not known.
TensorRange Mapped(const TensorRange& a, const std::function<Range(const Range&)>& function);
// The same for two tensors that are broadcast to each other.
TensorRange Mapped(const TensorRange& a, const TensorRange& b,
                   const std::function<Range(const Range&, const Range&)>& function);

// Moves elements `from[i]` of `a` into a new shape. If elements are not known, returns the common
// range.
TensorRange Rearranged(const TensorRange& a, std::vector<std::int64_t> shape,
                       const std::vector<std::size_t>& from);

}  // namespace opledger
