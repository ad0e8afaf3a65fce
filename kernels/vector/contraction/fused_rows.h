// What is fused to a contraction, done to rows of its sums before they are rounded.
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
  VectorRow row = nullptr;                    // the activation, where there is a fast one
  const UnaryFunction* activation = nullptr;  // else
  double alpha = 0;
  double beta = 0;
  bool unknown_activation = false;

  // Numbers `at` to `at` + n of the result, of channel `channel` and those after it.
  void Finish(const void* const* inputs, std::size_t channel, float* sums, void* out,
              std::size_t at, std::size_t n) const;
  // The same for `rows` short rows of n numbers, `step` from each other, whose results stand
  // together; their numbers are of channels 0 to `channels`, again and again. n <= kTileSize.
  void FinishRows(const void* const* inputs, std::size_t channels, const float* sums,
                  std::size_t step, std::size_t rows, std::size_t n, void* out,
                  std::size_t at) const;

 private:
  void FinishScaled(const void* const* inputs, float* sums, void* out, std::size_t at,
                    std::size_t n) const;
};
// Rows that are faster together.
inline constexpr std::size_t kShortRow = 128;

// Of any call, fused or not; `folded`: the weights have the scale in them.
FusedRows FusedRowsOf(const Call& call, bool folded);

}  // namespace opledger
