// The loops of integer products for AVX-512 with VNNI.
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include "kernels/arithmetic/loops/integer_bodies.h"
#else
#include "kernels/arithmetic/loops/loops.h"
#endif

namespace opledger::arithmetic {

#if defined(__x86_64__)
const IntegerLoops* VnniIntegerLoops() { return &kIntegerLoops; }
#else
const IntegerLoops* VnniIntegerLoops() { return nullptr; }
#endif

}  // namespace opledger::arithmetic
