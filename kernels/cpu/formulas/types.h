// The lists of element types that kernels declare.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/text/dtype.h"

// Macros, since the scanner reads registrations as written. float64 is for `opledger compare`,
// which also runs models in float64.
#define OPLEDGER_FLOATS \
  { Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat64 }
#define OPLEDGER_NUMBERS                                                               \
  {                                                                                    \
    Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat64, Dtype::kInt8, \
        Dtype::kInt16, Dtype::kInt32, Dtype::kInt64, Dtype::kUint8, Dtype::kUint16,    \
        Dtype::kUint32, Dtype::kUint64                                                 \
  }
#define OPLEDGER_INTEGERS                                                                     \
  {                                                                                           \
    Dtype::kInt8, Dtype::kInt16, Dtype::kInt32, Dtype::kInt64, Dtype::kUint8, Dtype::kUint16, \
        Dtype::kUint32, Dtype::kUint64                                                        \
  }
#define OPLEDGER_ANY                                                                   \
  {                                                                                    \
    Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat64, Dtype::kInt8, \
        Dtype::kInt16, Dtype::kInt32, Dtype::kInt64, Dtype::kUint8, Dtype::kUint16,    \
        Dtype::kUint32, Dtype::kUint64, Dtype::kBool                                   \
  }
