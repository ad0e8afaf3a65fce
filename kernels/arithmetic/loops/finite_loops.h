// The loops of AllFinite: no exponent of a block is all ones. No early exit within the block, which
// would keep a compiler from vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "registry/text/dtype.h"

namespace opledger::arithmetic {

// Whether `n` numbers at `in`, of any alignment, are finite.
using FiniteLoop = bool (*)(const char* in, std::size_t n);

// For float32, float16 or bfloat16, by the widest vectors of this machine.
FiniteLoop FiniteLoopOf(Dtype dtype);

}  // namespace opledger::arithmetic
