// The loops over rows for AVX512.
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include "kernels/arithmetic/loops/row_loop_bodies.h"
#else
#include "kernels/arithmetic/loops/row_loops.h"
#endif

namespace opledger::arithmetic {

#if defined(__x86_64__)
const RowLoops* Avx512RowLoops() { return &kRowLoops; }
#else
const RowLoops* Avx512RowLoops() { return nullptr; }
#endif

}  // namespace opledger::arithmetic
