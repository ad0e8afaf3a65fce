// Shared parts of matrix products and convolutions: the type of the product, and its epilogue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "kernels/cuda/chain/chain.h"

namespace opledger::cuda {

// Writes the product of a call's first two inputs to `out`, in the `out_type` of MatrixCall, with
// an epilogue that cuBLASLt supports. `workspace` has the requested size.
struct Product {
  std::int32_t out_type = kF32;
  MatrixEpilogue epilogue = kPlain;
  const void* bias = nullptr;
};
using RunProduct = std::function<void(const Product& product, const void* const* inputs, void* out,
                                      std::byte* workspace)>;

// Workspace for cuBLASLt, in bytes.
inline constexpr std::size_t kMatrixWorkspace = std::size_t{32} << 20;

// Prepares the call. `own_workspace`: bytes that `run` needs. `has_epilogue`: the product is one of
// the library's, which can add a bias and apply Relu.
//   plain, or fused as the library supports:  the product alone, rounded once
//   fused otherwise:                          the product in float32, then one chain
Prepared FinishContraction(const Call& call, const TensorType& result, std::size_t channel,
                           std::size_t own_workspace, bool has_epilogue, RunProduct run);

}  // namespace opledger::cuda
