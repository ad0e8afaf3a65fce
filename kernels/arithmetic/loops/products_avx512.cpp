// The loops of products for AVX512.
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include "kernels/arithmetic/loops/product_loop_bodies.h"
#else
#include "kernels/arithmetic/loops/product_loops.h"
#endif

namespace opledger::arithmetic {

#if defined(__x86_64__)
const ProductLoops* Avx512ProductLoops() { return &kProductLoops; }
#else
const ProductLoops* Avx512ProductLoops() { return nullptr; }
#endif

}  // namespace opledger::arithmetic
