// The loops for AVX2.
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include "kernels/arithmetic/loops/loop_table.h"
#else
#include "kernels/arithmetic/loops/loops.h"
#endif

namespace opledger::arithmetic {

#if defined(__x86_64__)
const Loops* Avx2Loops() { return &kLoops; }
#else
const Loops* Avx2Loops() { return nullptr; }
#endif

}  // namespace opledger::arithmetic
