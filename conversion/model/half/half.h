// Many float32 to float16 or bfloat16 and back, as IEEE 754 rounds: to nearest, ties to even;
// subnormals, sign, infinities and NaN kept (a NaN stays one, its payload cut). The only cast
// between these types in the project: conversion and kernels use it.
// May include: registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "conversion/model/half/half_bits.h"
#include "registry/text/dtype.h"

namespace opledger {

// One number: ToFloat16, ToBfloat16, FromFloat16, FromBfloat16 of half_bits.h.

// `count` numbers at once. `target` is float16 or bfloat16. `in` and `out` need no alignment; they
// are the same array or do not overlap.
void ConvertFloats(const char* in, std::size_t count, Dtype target, char* out);

// The same, but for numbers that are not zero and would become zero: they become the type's
// smallest number, with their sign. Gives how many did. `in` and `out` do not overlap.
std::size_t ConvertRaised(const char* in, std::size_t count, Dtype target, char* out);
// One or the other.
void ConvertParameter(const char* in, std::size_t count, Dtype target, bool raises, char* out);

// That number, 2^-24 or 2^-133, and the largest that would become zero: half of it, a tie.
double SmallestOf(Dtype target);
double LargestFlushed(Dtype target);

// The other way, which is exact, of `count` numbers of type `from`, float16 or bfloat16. `in` and
// `out` need no alignment, and do not overlap.
void UpcastFloats(const char* in, std::size_t count, Dtype from, char* out);

// `count` float16 to bfloat16, or bfloat16 to float16: `from` is the one that `in` has. Rounded
// once. No alignment is needed; the same array or no overlap.
void ExchangeHalves(const char* in, std::size_t count, Dtype from, char* out);

}  // namespace opledger
