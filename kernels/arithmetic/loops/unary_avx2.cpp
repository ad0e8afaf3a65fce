// The loops over arrays for AVX2 and FMA.
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include "kernels/arithmetic/loops/unary_loop_bodies.h"
#else
#include "kernels/arithmetic/loops/unary_loops.h"
#endif

namespace opledger::arithmetic {

#if defined(__x86_64__)
UnaryLoop Avx2UnaryLoop(Unary function) { return LoopOf(function); }
#else
UnaryLoop Avx2UnaryLoop(Unary) { return nullptr; }
#endif

}  // namespace opledger::arithmetic
