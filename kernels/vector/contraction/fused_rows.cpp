// Applies fused operators in the order of kernels/kernel/fused_call.h.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/contraction/fused_rows.h"

#include <algorithm>
#include <cstring>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/kernel/fused_call.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {

using arithmetic::Pair;

namespace {

// Combines each run of `count` elements of a row with the channels.
void ApplyRepeated(Pair pair, const float* channels, std::size_t count, float* row, std::size_t n) {
  if (count == 1) return arithmetic::Apply(pair, row, channels[0], row, n);
  float repeated[kTileSize];
  std::memcpy(repeated, channels, std::min(count, n) * sizeof(float));
  for (std::size_t done = count; done < n; done *= 2) {
    std::memcpy(repeated + done, repeated, std::min(done, n - done) * sizeof(float));
  }
  arithmetic::Apply(pair, row, repeated, row, n);
}

}  // namespace

void FusedRows::FinishRows(const void* const* inputs, std::size_t channels, const float* sums,
                           std::size_t step, std::size_t rows, std::size_t n, void* out,
                           std::size_t at) const {
  float tile[kTileSize];
  const std::size_t at_once = kTileSize / n;
  for (std::size_t row = 0; row < rows; row += at_once) {
    const std::size_t some = std::min(at_once, rows - row);
    for (std::size_t i = 0; i < some; ++i) CopyFew(sums + (row + i) * step, tile + i * n, n);
    const auto apply = [&](Pair pair, FusedInput input) {
      ApplyRepeated(pair, static_cast<const float*>(inputs[input]), channels, tile, some * n);
    };
    if (scales) apply(Pair::kMul, kFusedScale);
    if (biased) apply(Pair::kAdd, kFusedBias);
    FinishScaled(inputs, tile, out, at + row * n, some * n);
  }
}

void FusedRows::Finish(const void* const* inputs, std::size_t channel, float* sums, void* out,
                       std::size_t at, std::size_t n) const {
  const auto apply = [&](Pair pair, const float* row) {
    arithmetic::Apply(pair, sums, row, sums, n);
  };
  if (scales) apply(Pair::kMul, static_cast<const float*>(inputs[kFusedScale]) + channel);
  if (biased) apply(Pair::kAdd, static_cast<const float*>(inputs[kFusedBias]) + channel);
  FinishScaled(inputs, sums, out, at, n);
}

void FusedRows::FinishScaled(const void* const* inputs, float* sums, void* out, std::size_t at,
                             std::size_t n) const {
  if (adds) {
    float tile[kTileSize];  // rows of sums are shorter
    arithmetic::Apply(Pair::kAdd, sums, LoadRow(dtype, inputs[kFusedAddend], at, n, tile), sums, n);
  }
  if (row != nullptr) {
    row(sums, sums, n, static_cast<float>(alpha), static_cast<float>(beta));
  }
  if (activation != nullptr) activation->row(sums, n, alpha, beta);
  if (dtype == Dtype::kFloat32) {
    std::memcpy(static_cast<float*>(out) + at, sums, n * sizeof(float));
  } else {
    StoreRow(dtype, sums, out, at, n);
  }
}

FusedRows FusedRowsOf(const Call& call, bool folded) {
  FusedRows rows;
  rows.dtype = call.Input(0).dtype;
  if (!IsFused(call)) return rows;
  rows.scales = call.Has(kFusedScale) && !folded;
  rows.biased = call.Has(kFusedBias);
  rows.adds = call.Has(kFusedAddend);
  const FusedActivation activation = ActivationOf(call);
  rows.row = FindVectorRow(activation.name);
  if (rows.row == nullptr) rows.activation = FindUnary(activation.name);
  rows.unknown_activation =
      !activation.name.empty() && rows.row == nullptr && rows.activation == nullptr;
  rows.alpha = activation.alpha;
  rows.beta = activation.beta;
  return rows;
}

}  // namespace opledger
