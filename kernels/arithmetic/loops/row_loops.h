// Loops over rows of float32 that kernels are made of, by the widest vector instructions the
// machine has. Every instruction set gives the same bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "conversion/model/half/vector_instructions.h"

namespace opledger::arithmetic {

enum class Pair { kAdd, kSub, kMul, kDiv, kMax, kMin };
inline constexpr std::size_t kPairs = 6;

// n numbers each. A row that is written is none of those read, or the very same.
struct RowLoops {
  using PairLoop = void (*)(const float* a, const float* b, float* out, std::size_t n);
  // out = a op b, by Pair; second index: 0 both are rows, 1 b is one number, 2 a is one number.
  // Maximum and minimum as IEEE 754-2019 has them: a NaN wins, -0 is less than +0.
  PairLoop pairs[kPairs][3];
  // In the order of kernels/cpu/reduce/reduce.h. Of no numbers 0 and -infinity.
  float (*sum)(const float* x, std::size_t n);
  float (*greatest)(const float* x, std::size_t n);
  float (*sum_of_squares)(const float* x, float mean, std::size_t n);  // of x - mean
  // out = (x - mean) * inverse * scale + shift; scale or shift may be nullptr.
  void (*normalise)(const float* x, float mean, float inverse, const float* scale,
                    const float* shift, float* out, std::size_t n);
  // out = (x - mean) * factor + shift, number by number.
  void (*affine)(const float* x, const float* mean, const float* factor, const float* shift,
                 float* out, std::size_t n);
  // out = x ^ exponent, as Pow of elementary.h.
  void (*power)(const float* x, float exponent, float* out, std::size_t n);
  // out[j] = what all rows[i][j] are together, joined one after the other: their sum, begun with 0,
  // and the greatest of them.
  using JoinLoop = void (*)(const float* const* rows, std::size_t count, float* out, std::size_t n);
  JoinLoop sum_of_rows;
  JoinLoop greatest_of_rows;
  // out = x where it is not below 0, else factor * x.
  void (*leaky)(const float* x, float factor, float* out, std::size_t n);
  // out = x within its bounds; a NaN stays one, and a bound that is one bounds nothing.
  void (*clip)(const float* x, float least, float most, float* out, std::size_t n);
};

// nullptr: the set is not compiled for this processor's family.
const RowLoops* PortableRowLoops();
const RowLoops* Avx2RowLoops();
const RowLoops* Avx512RowLoops();

// Of one set, which the machine has to run; and of the widest.
const RowLoops& RowLoopsOf(VectorInstructions set);
const RowLoops& Rows();

}  // namespace opledger::arithmetic
