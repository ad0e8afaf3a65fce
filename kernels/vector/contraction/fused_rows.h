// Applies operators fused to a contraction to rows of its sums, before they are rounded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/cpu/formulas/unary_row.h"
#include "kernels/kernel/kernel.h"
#include "kernels/vector/elementwise/elementwise.h"

namespace opledger {

// The inputs are those of kernels/kernel/fused_call.h.
struct FusedRows {
  Dtype dtype = Dtype::kFloat32;  // of result and addend
  bool scales = false;
  bool biased = false;
  bool adds = false;
  VectorRow row = nullptr;                    // vector version of the activation, or nullptr
  const UnaryFunction* activation = nullptr;  // otherwise the scalar version
  double alpha = 0;
  double beta = 0;
  bool unknown_activation = false;

  // Finishes elements `at` to `at` + n of the result, which belong to `channel` and those after it.
  void Finish(const void* const* inputs, std::size_t channel, float* sums, void* out,
              std::size_t at, std::size_t n) const;
  // Finishes `rows` short rows of n sums that are `step` apart; their results are contiguous. Each
  // row repeats channels 0 to `channels`. n <= kTileSize.
  void FinishRows(const void* const* inputs, std::size_t channels, const float* sums,
                  std::size_t step, std::size_t rows, std::size_t n, void* out,
                  std::size_t at) const;

 private:
  void FinishScaled(const void* const* inputs, float* sums, void* out, std::size_t at,
                    std::size_t n) const;
};
// Rows of up to this many elements are faster when finished together.
inline constexpr std::size_t kShortRow = 128;

// Takes any call, fused or not. `folded`: the weights already include the scale.
FusedRows FusedRowsOf(const Call& call, bool folded);

}  // namespace opledger
