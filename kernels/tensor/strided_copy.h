// Copies between tensors with different strides, as used for transposing, slicing, padding and
// tiling.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/tensor/strided_copy.h"
#include "kernels/tensor/tensor.h"

namespace opledger {

// Copies elements of `shape`; strides and offsets count elements of each side.
struct StridedCopy {
  Dimensions shape;
  Dimensions from;
  Dimensions to;
  std::int64_t from_offset = 0;
  std::int64_t to_offset = 0;

  // `size`: bytes of an element.
  void Run(const void* in, void* out, std::size_t size) const;
};

// Copies a slice along an axis between a tensor and a tensor without that axis.
struct TensorPart {
  StridedCopy copy;
  std::size_t step = 0;  // bytes from one slice to the next
  std::size_t size = 0;  // bytes of an element

  // Copies slice `at` of `whole` to `part`, or `part` to that slice.
  void Read(const void* whole, std::int64_t at, std::byte* part) const;
  void Write(const void* part, void* whole, std::int64_t at) const;
  std::size_t Bytes() const;  // of a slice
};

Dimensions WithoutAxis(Dimensions shape, std::int64_t axis);

// Returns the slices of `whole` along `axis`. `from_whole`: for Read; otherwise for Write.
TensorPart PartAlong(const TensorType& whole, std::int64_t axis, bool from_whole);

// Normalizes an axis, which counts from the end if negative. Returns nullopt if out of range.
std::optional<std::int64_t> AxisWithin(std::int64_t axis, std::size_t rank);

}  // namespace opledger
