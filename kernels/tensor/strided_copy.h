// Copies between tensors that step through memory differently: what transposing, slicing, padding
// and tiling come down to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/tensor/strided_copy.h"
#include "kernels/tensor/tensor.h"

namespace opledger {

// `shape` elements; strides and offsets count elements of each side.
struct StridedCopy {
  Dimensions shape;
  Dimensions from;
  Dimensions to;
  std::int64_t from_offset = 0;
  std::int64_t to_offset = 0;

  // `size`: bytes of an element.
  void Run(const void* in, void* out, std::size_t size) const;
};

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
