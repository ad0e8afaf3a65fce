// The loops of unary.h, once per instruction set: unary_portable.cpp, unary_avx2.cpp and
// unary_avx512.cpp are one text (unary_loop_bodies.h), compiled with the flags of CMakeLists.txt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "conversion/model/half/vector_instructions.h"
#include "kernels/arithmetic/loops/unary.h"

namespace opledger::arithmetic {

using UnaryLoop = void (*)(const float* in, float* out, std::size_t n);

// nullptr: the set is not compiled for this processor's family.
UnaryLoop PortableUnaryLoop(Unary function);
UnaryLoop Avx2UnaryLoop(Unary function);
UnaryLoop Avx512UnaryLoop(Unary function);

// Apply, by the loops of one set, which the machine has to run.
void ApplyBy(VectorInstructions set, Unary function, const float* in, float* out, std::size_t n);

}  // namespace opledger::arithmetic
