// Copies between tensors that step through memory differently: what transposing, slicing, padding
// and tiling come down to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace opledger
