// In the order of kernels/plan/fused_call.h.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/rows/fused_rows.h"

#include <cstring>

#include "kernels/arithmetic/loops/row_loops.h"
#include "kernels/plan/fused_call.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {

using arithmetic::Pair;
using arithmetic::Unary;

void FusedRows::Finish(const void* const* inputs, std::size_t channel, float* sums, void* out,
                       std::size_t at, std::size_t n) const {
  const auto join = [&](Pair pair, const float* row) {
    arithmetic::Rows().pairs[static_cast<std::size_t>(pair)][0](sums, row, sums, n);
  };
  if (scales) join(Pair::kMul, static_cast<const float*>(inputs[kFusedScale]) + channel);
  if (biased) join(Pair::kAdd, static_cast<const float*>(inputs[kFusedBias]) + channel);
  if (adds) {
    float tile[kTileSize];  // rows of sums are shorter
    join(Pair::kAdd, WideRow(dtype, inputs[kFusedAddend], at, n, tile));
  }
  if (loop) arithmetic::Apply(*loop, sums, sums, n);
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
  static constexpr std::pair<std::string_view, Unary> kLoops[] = {
      {"Relu", Unary::kRelu},    {"Sigmoid", Unary::kSigmoid},   {"Tanh", Unary::kTanh},
      {"Gelu", Unary::kGeluErf}, {"GeluTanh", Unary::kGeluTanh}, {"Erf", Unary::kErf},
      {"Mish", Unary::kMish}};
  FusedRows rows;
  rows.dtype = call.Input(0).dtype;
  if (!IsFused(call)) return rows;
  rows.scales = call.Has(kFusedScale) && !folded;
  rows.biased = call.Has(kFusedBias);
  rows.adds = call.Has(kFusedAddend);
  const FusedActivation activation = ActivationOf(call);
  for (const auto& [name, loop] : kLoops) {
    if (name == activation.name) rows.loop = loop;
  }
  rows.row = FindActivationRow(activation.name);
  const bool found = rows.loop.has_value() || rows.row != nullptr;
  if (!found) rows.activation = FindUnary(activation.name);
  rows.unknown_activation = !activation.name.empty() && !found && rows.activation == nullptr;
  rows.alpha = activation.alpha;
  rows.beta = activation.beta;
  return rows;
}

}  // namespace opledger
