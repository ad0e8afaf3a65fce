// One part of a tensor along an axis: what a loop reads or writes in one step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/tensor/strided_copy.h"
#include "kernels/tensor/tensor.h"

namespace opledger {

// Copies go between it and a tensor without the axis.
struct TensorPart {
  StridedCopy copy;
  std::size_t step = 0;  // bytes from one part to the next
  std::size_t size = 0;  // of an element

  // Part `at` of `whole`, to `part` or from it.
  void Read(const void* whole, std::int64_t at, std::byte* part) const;
  void Write(const void* part, void* whole, std::int64_t at) const;
  std::size_t Bytes() const;  // of one
};

Dimensions WithoutAxis(Dimensions shape, std::int64_t axis);

// `from_whole`: it is read; else it is written.
TensorPart PartAlong(const TensorType& whole, std::int64_t axis, bool from_whole);

// Counted from the end where it is negative. None: there is no such axis.
std::optional<std::int64_t> AxisWithin(std::int64_t axis, std::size_t rank);

}  // namespace opledger
