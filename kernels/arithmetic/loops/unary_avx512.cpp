// The loops over arrays for AVX-512 F, BW, DQ and VL.
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include "kernels/arithmetic/loops/unary_loop_bodies.h"
#else
#include "kernels/arithmetic/loops/unary_loops.h"
#endif

namespace opledger::arithmetic {

#if defined(__x86_64__)
UnaryLoop Avx512UnaryLoop(Unary function) { return LoopOf(function); }
#else
UnaryLoop Avx512UnaryLoop(Unary) { return nullptr; }
#endif

}  // namespace opledger::arithmetic
