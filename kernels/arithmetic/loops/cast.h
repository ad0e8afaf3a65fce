// Casts among float32, float16 and bfloat16 for tiles and tensors, by the widest vector
// instructions the machine has; rounded as IEEE 754 says, subnormals and a NaN's payload kept.
//   Upcast(Dtype::kFloat16, tile, wide, n); ... Downcast(wide, Dtype::kFloat16, tile, n);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "registry/text/dtype.h"

namespace opledger::arithmetic {

// Every type is float32, float16 or bfloat16; any other is a bug of the caller's and aborts. Arrays
// need no alignment and do not overlap, unless they are the same one and the result is not wider.
// Nothing is allocated; thread-safe.

// `n` numbers to float32, exactly.
void Upcast(Dtype from, const void* in, float* out, std::size_t n);

// `n` numbers from float32, to the nearest, ties to even.
void Downcast(const float* in, Dtype to, void* out, std::size_t n);

// The same, but what is not zero and would become zero becomes the type's smallest number. Not to
// float32, nor in place.
void DowncastRaised(const float* in, Dtype to, void* out, std::size_t n);

// Any of the three to any. Between float16 and bfloat16: through float32, so rounded once.
void Cast(Dtype from, const void* in, Dtype to, void* out, std::size_t n);

// `n` numbers in place, to those that `to` has: as a cast there and back.
void RoundTo(Dtype to, float* numbers, std::size_t n);

// Whether none of `n` numbers is infinite or NaN. (Stops early at a block that has one.)
bool AllFinite(Dtype dtype, const void* in, std::size_t n);

}  // namespace opledger::arithmetic
