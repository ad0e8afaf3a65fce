// Element-wise functions of one argument over arrays, by the widest vector instructions the machine
// has. Every instruction set gives the bits that the scalar functions of elementary.h give.
//   Apply(Unary::kExp, in, out, n);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/arithmetic/loops/unary_list.h"

namespace opledger::arithmetic {

enum class Unary {
#define OPLEDGER_ENUMERATOR(function, ulp) k##function,
  OPLEDGER_UNARY_LIST(OPLEDGER_ENUMERATOR)
#undef OPLEDGER_ENUMERATOR
};

// out[i] = function(in[i]) for i < n. `in` and `out` need no alignment; they are the same array or
// do not overlap. Allocates nothing; thread-safe.
void Apply(Unary function, const float* in, float* out, std::size_t n);

const char* UnaryName(Unary function);  // as in elementary.h: "Exp"

// The largest error over all arguments, in units of the last place.
double UlpBound(Unary function);

}  // namespace opledger::arithmetic
