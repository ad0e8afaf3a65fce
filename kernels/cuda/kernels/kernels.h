// The registrations of kernels on "cuda". In: a call; out: a chain, or one of the module's calls.
// This header: the element types that they declare.
// May include: kernels/arithmetic/loops, kernels/cpu/contraction, kernels/cpu/elementwise,
// kernels/cpu/image, kernels/cpu/sequence, kernels/cpu/window, kernels/cuda/chain,
// kernels/cuda/module, kernels/kernel, kernels/tensor, kernels/vector/reduce, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/text/dtype.h"

// Macros, since the scanner reads registrations as written.
#define OPLEDGER_CUDA_FLOATS \
  { Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16 }
#define OPLEDGER_CUDA_READABLE \
  { Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kInt32, Dtype::kInt64, Dtype::kBool }
#define OPLEDGER_CUDA_ANY                                                              \
  {                                                                                    \
    Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat64, Dtype::kInt8, \
        Dtype::kInt16, Dtype::kInt32, Dtype::kInt64, Dtype::kUint8, Dtype::kUint16,    \
        Dtype::kUint32, Dtype::kUint64, Dtype::kBool                                   \
  }
