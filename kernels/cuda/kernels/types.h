// The element types that CUDA kernels declare.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/text/dtype.h"

// Macros, since the scanner reads registrations as they are written.
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
