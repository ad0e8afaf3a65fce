// Converts arrays of float32 to float16 or bfloat16 and back by IEEE 754: rounds to nearest even
// and keeps subnormals, sign, infinities and NaN (with a truncated payload). All casts between
// these types in the project, in conversion and kernels, are these.
// May include: registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "conversion/model/half/half_bits.h"
#include "registry/text/dtype.h"

namespace opledger {

// Scalar casts: ToFloat16, ToBfloat16, FromFloat16, FromBfloat16 of half_bits.h.

// Converts `count` elements. `target` is float16 or bfloat16. `in` and `out` need not be aligned;
// they are the same array or do not overlap.
void ConvertFloats(const char* in, std::size_t count, Dtype target, char* out);

// Like ConvertFloats, but nonzero elements that would become zero become the value of the type with
// the same sign and the smallest magnitude. Returns how many did. `in` and `out` must not overlap.
std::size_t ConvertRaised(const char* in, std::size_t count, Dtype target, char* out);
// Calls ConvertRaised if `raises` is set, otherwise ConvertFloats.
void ConvertParameter(const char* in, std::size_t count, Dtype target, bool raises, char* out);

// Return the smallest positive value of the type, 2^-24 or 2^-133, and the largest value that
// rounds to zero: half of it, a tie.
double SmallestOf(Dtype target);
double LargestFlushed(Dtype target);

// Converts `count` elements of type `from`, float16 or bfloat16, to float32, exactly. `in` and
// `out` need not be aligned and must not overlap.
void UpcastFloats(const char* in, std::size_t count, Dtype from, char* out);

// Converts `count` elements from float16 to bfloat16 or the other way, rounding once. `from` is the
// type of `in`. `in` and `out` need not be aligned; they are the same array or do not overlap.
void ExchangeHalves(const char* in, std::size_t count, Dtype from, char* out);

}  // namespace opledger
