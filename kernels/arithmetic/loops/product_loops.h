// What products of matrices are made of, by the widest vector instructions the machine has. Every
// sum goes in the order of k, whatever the tile; AVX2 and AVX-512 round once for a product and its
// sum and give the same bits, the portable loops round twice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "conversion/model/half/vector_instructions.h"

namespace opledger::arithmetic {

// A factor on the left stands in rows of at most kProductDepth numbers, kProductRowStep numbers
// from each other: no power of two, so that rows do not fight for the same lines of a cache.
inline constexpr std::size_t kProductDepth = 256;
inline constexpr std::size_t kProductRowStep = kProductDepth + 16;
inline constexpr std::size_t kMostProductRows = 14;

struct ProductLoops {
  // c[i][j] = sum over k < depth of a[i][k] * b[k][j], or that added to what is there. Rows of c
  // are c_step numbers from each other, those of b `columns`; c is written in whole vectors.
  using Tile = void (*)(std::size_t depth, const float* a, const float* b, float* c,
                        std::size_t c_step, bool adds);
  std::size_t rows;     // of the largest tile: tiles[r - 1] has r of them
  std::size_t columns;  // of the widest, tiles[][1]; tiles[][0] has half as many
  Tile tiles[kMostProductRows][2];
  // out[j] = sum over t < taps of in[t][j] * weights[t * step + j], j < n
  void (*by_channel)(std::size_t taps, const float* const* in, const float* weights,
                     std::size_t step, float* out, std::size_t n);
};

// nullptr: the set is not compiled for this processor's family.
const ProductLoops* PortableProductLoops();
const ProductLoops* Avx2ProductLoops();
const ProductLoops* Avx512ProductLoops();

const ProductLoops& Products();  // of the widest set

}  // namespace opledger::arithmetic
