// What matrix products and convolutions have in common: how a product is finished, and in which
// type it is made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "kernels/cuda/chain/chain.h"

namespace opledger::cuda {

// Puts the product of a call's first two inputs at `out`, of MatrixCall's type `out_type`, with an
// epilogue that cuBLASLt has. `workspace` is as large as was asked for.
struct Product {
  std::int32_t out_type = kF32;
  MatrixEpilogue epilogue = kPlain;
  const void* bias = nullptr;
};
using RunProduct = std::function<void(const Product& product, const void* const* inputs, void* out,
                                      std::byte* workspace)>;

// What cuBLASLt may use besides.
inline constexpr std::size_t kMatrixWorkspace = std::size_t{32} << 20;

// The prepared call. `own_workspace`: bytes that `run` takes. `has_epilogue`: whether it is a
// matrix product of the library's, which can add a bias and cut below 0 by itself.
//   as the model is:  the product alone, or with what the library does, rounded once
//   with more fused:  the product in float32, then one chain over it
Prepared FinishContraction(const Call& call, const TensorType& result, std::size_t channel,
                           std::size_t own_workspace, bool has_epilogue, RunProduct run);

}  // namespace opledger::cuda
