// Reads tensors of indices, for gathering and scattering.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/kernel/kernel.h"
#include "kernels/kernel/step_problem.h"

namespace opledger {

// Normalizes an index, which counts from the end if negative. Returns -1 if it is out of range.
template <typename I>
std::int64_t IndexWithin(I index, std::int64_t size) {
  const auto wide = static_cast<std::int64_t>(index);
  const std::int64_t from_start = wide < 0 ? wide + size : wide;
  return from_start < 0 || from_start >= size ? -1 : from_start;
}

// The same; also reports an index that is out of range to the run.
template <typename I>
std::int64_t CheckedIndex(I index, std::int64_t size) {
  const std::int64_t within = IndexWithin(index, size);
  if (within < 0) ReportOutside(static_cast<std::int64_t>(index), size);
  return within;
}

// Returns whether input `input` exists and is int32 or int64.
inline bool HasIndices(const Call& call, std::size_t input) {
  return call.Has(input) &&
         (call.Input(input).dtype == Dtype::kInt32 || call.Input(input).dtype == Dtype::kInt64);
}

// Index `at` of a tensor of int64 (`wide`) or int32.
inline std::int64_t IndexAt(const void* indices, bool wide, std::size_t at) {
  return wide ? static_cast<const std::int64_t*>(indices)[at]
              : std::int64_t{static_cast<const std::int32_t*>(indices)[at]};
}

// Calls `use` with a null pointer to the C++ type of indices.
template <typename Use>
void WithIndex(Dtype dtype, const Use& use) {
  if (dtype == Dtype::kInt32) {
    use(static_cast<std::int32_t*>(nullptr));
  } else {
    use(static_cast<std::int64_t*>(nullptr));
  }
}

}  // namespace opledger
