// In the order of kernels/kernel/fused_call.h.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/contraction/fused_rows.h"

#include <cstring>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/kernel/fused_call.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {

using arithmetic::Pair;

void FusedRows::Finish(const void* const* inputs, std::size_t channel, float* sums, void* out,
                       std::size_t at, std::size_t n) const {
  const auto apply = [&](Pair pair, const float* row) {
    arithmetic::Apply(pair, sums, row, sums, n);
  };
  if (scales) apply(Pair::kMul, static_cast<const float*>(inputs[kFusedScale]) + channel);
  if (biased) apply(Pair::kAdd, static_cast<const float*>(inputs[kFusedBias]) + channel);
  if (adds) {
    float tile[kTileSize];  // rows of sums are shorter
    apply(Pair::kAdd, LoadRow(dtype, inputs[kFusedAddend], at, n, tile));
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
