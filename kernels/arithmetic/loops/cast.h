// Casts among float32, float16 and bfloat16 for tiles and tensors, by the widest vector
// instructions of the machine. Rounds as IEEE 754 does; keeps subnormals and the payload of a NaN.
//   Upcast(Dtype::kFloat16, tile, wide, n); ... Downcast(wide, Dtype::kFloat16, tile, n);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "registry/text/dtype.h"

namespace opledger::arithmetic {

// All types must be float32, float16 or bfloat16; others abort. Arrays need no alignment and must
// not overlap, unless they are the same array and the result is not wider. Nothing is allocated;
// all functions are thread-safe.

// Converts `n` elements to float32, exactly.
void Upcast(Dtype from, const void* in, float* out, std::size_t n);

// Rounds `n` float32 elements to the nearest of `to`, ties to even.
void Downcast(const float* in, Dtype to, void* out, std::size_t n);

// Like Downcast, but elements other than zero that would round to zero become the smallest positive
// or negative value of the type. `to` must not be float32; `in` and `out` must differ.
void DowncastRaised(const float* in, Dtype to, void* out, std::size_t n);

// Casts between any two of the types. Between float16 and bfloat16, by way of float32, so that
// there is one rounding.
void Cast(Dtype from, const void* in, Dtype to, void* out, std::size_t n);

// Rounds `n` float32 elements in place to values of `to`, like a cast there and back.
void RoundTo(Dtype to, float* numbers, std::size_t n);

// Returns whether none of `n` elements is infinite or NaN. Stops at the first block that has one.
bool AllFinite(Dtype dtype, const void* in, std::size_t n);

}  // namespace opledger::arithmetic
