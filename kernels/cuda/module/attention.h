// Shared parts of the attention kernels: the columns that a row sees, the mask, and powers of
// scores. Device code; included only by .cu files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/cuda/module/device_code.h"

namespace opledger::cuda {

// The columns [first, last) that a row sees, regardless of the mask.
struct SeenColumns {
  std::int64_t first;
  std::int64_t last;
};

static __device__ __forceinline__ SeenColumns SeenBy(const AttentionCall& call, std::int64_t batch,
                                                     std::int64_t row) {
  std::int64_t last = call.columns;
  std::int64_t before = call.past;
  if (call.valid != nullptr) {
    const std::int64_t valid = call.valid[batch];
    last = valid < 0 ? 0 : valid < last ? valid : last;
    before = valid - call.q_rows;
  }
  if (call.mask != nullptr && call.mask_columns < last) last = call.mask_columns;
  const std::int64_t place = row + before;
  if (call.causal != 0 && place + 1 < last) last = place + 1;
  if (call.right >= 0 && place + call.right + 1 < last) last = place + call.right + 1;
  std::int64_t first = call.left >= 0 && place > call.left ? place - call.left : 0;
  if (last < 0) last = 0;
  if (first > last) first = last;
  return {first, last};
}

// Returns the mask's addend to the score of a column that the row sees; -infinity masks it.
template <typename T>
__device__ __forceinline__ float MaskAt(const AttentionCall& call, std::int64_t batch,
                                        std::int64_t head, std::int64_t row, std::int64_t column) {
  if (call.mask == nullptr) return 0;
  const std::int64_t place =
      batch * call.mask_steps[0] + head * call.mask_steps[1] + row * call.mask_steps[2] + column;
  if (call.mask_is_bool == 0) return Number(static_cast<const T*>(call.mask)[place]);
  return static_cast<const std::uint8_t*>(call.mask)[place] != 0 ? 0.0F : -arithmetic::kInfinity;
}

// Not inlined: few models cap scores, and the code would be repeated for every score of a tile.
static __device__ __attribute__((noinline)) float CappedBy(float score, float cap) {
  return arithmetic::Tanh(score / cap) * cap;
}
static __device__ __forceinline__ float Capped(const AttentionCall& call, float score) {
  return call.cap > 0 ? CappedBy(score, call.cap) : score;
}

// e^(x - max); 0 for a masked column (-infinity). If max is not finite, the result is not used (see
// ResultOf).
static __device__ __forceinline__ float PowerOf(float x, float max) {
  constexpr float kLeast = -150;  // its power is 0
  return x == -arithmetic::kInfinity ? 0.0F : arithmetic::ExpNotAbove0(Greater(x - max, kLeast));
}

// Returns the factor for sums over powers when the maximum increases.
static __device__ __forceinline__ float RescaleOf(float old_max, float new_max) {
  return old_max == new_max ? 1.0F : PowerOf(old_max, new_max);
}

// A result of a row whose powers add up to `sum`; 0 if all of its columns are masked.
static __device__ __forceinline__ float ResultOf(float out, float sum, float max, bool any) {
  if (!any) return 0;
  return max - max == 0 ? out / sum : arithmetic::kNan;
}

// Four elements of a row from `at` on; 0 beyond its `size`. `aligned`: rows start where four
// elements may be read at once, and their size is a multiple of four.
template <typename T>
struct alignas(4 * sizeof(T)) FourElements {
  T number[4];
};
template <typename T>
__device__ __forceinline__ float4 FourAt(const T* row, std::int64_t at, std::int64_t size,
                                         bool aligned) {
  if (row == nullptr || at >= size) return {0, 0, 0, 0};
  if (aligned) {
    const auto four = *reinterpret_cast<const FourElements<T>*>(row + at);
    return {Number(four.number[0]), Number(four.number[1]), Number(four.number[2]),
            Number(four.number[3])};
  }
  const auto element = [&](int i) { return at + i < size ? Number(row[at + i]) : 0.0F; };
  return {element(0), element(1), element(2), element(3)};
}

template <typename T>
__device__ __forceinline__ const T* RowAt(const void* data, const HeadSteps& steps,
                                          std::int64_t batch, std::int64_t head, std::int64_t row) {
  return static_cast<const T*>(data) + batch * steps.batch + head * steps.head + row * steps.row;
}

static __device__ __forceinline__ bool IsFiniteNumber(float x) { return x - x == 0; }

}  // namespace opledger::cuda
