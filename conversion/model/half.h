// float32 to float16 and bfloat16, as IEEE 754 rounds: to nearest, ties to even; subnormals, sign,
// infinities and NaN kept (a NaN stays one, its payload cut).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "registry/dtype.h"

namespace opledger {

std::uint16_t ToFloat16(float value);
std::uint16_t ToBfloat16(float value);

// `count` numbers at once. `in` and `out` need no alignment. `target` is float16 or bfloat16.
void ConvertFloats(const char* in, std::size_t count, Dtype target, char* out);

// The other way, which is exact; a NaN keeps its payload.
float FromFloat16(std::uint16_t half);
float FromBfloat16(std::uint16_t half);
// `count` numbers of type `from`, float16 or bfloat16. No alignment is needed.
void WidenFloats(const char* in, std::size_t count, Dtype from, char* out);

}  // namespace opledger
