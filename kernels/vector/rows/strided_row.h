// Reads strided elements as a row of float32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "kernels/vector/rows/rows.h"

namespace opledger {

// Returns a pointer to element `at` of a tensor.
inline const void* At(Dtype dtype, const void* data, std::size_t at) {
  return static_cast<const std::byte*>(data) + at * (dtype == Dtype::kFloat32 ? 4 : 2);
}

// Reads n elements from `at` on, `step` apart, into `to`.
inline void GatherRow(Dtype dtype, const void* data, std::size_t at, std::size_t step,
                      std::size_t n, float* to) {
  if (dtype == Dtype::kFloat32) {
    const float* from = static_cast<const float*>(data) + at;
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i * step];
    return;
  }
  constexpr std::size_t kSome = 64;
  std::uint16_t numbers[kSome];
  const std::uint16_t* from = static_cast<const std::uint16_t*>(data) + at;
  for (std::size_t done = 0; done < n; done += kSome) {
    const std::size_t some = std::min(kSome, n - done);
    for (std::size_t i = 0; i < some; ++i) numbers[i] = from[(done + i) * step];
    arithmetic::Upcast(dtype, numbers, to + done, some);
  }
}

}  // namespace opledger
