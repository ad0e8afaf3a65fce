// Converts arrays by AVX2 and F16C, for half.cpp. Call only if Runs(kAvx2).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "registry/text/dtype.h"

namespace opledger {

// Like ConvertFloats, UpcastFloats and ExchangeHalves, for as many elements as fill vectors.
// Returns their number. The caller has to convert the rest: fewer than 16, or all if the processor
// is not x86-64.
std::size_t ConvertByAvx2(const char* in, std::size_t count, Dtype target, char* out);
std::size_t UpcastByAvx2(const char* in, std::size_t count, Dtype from, char* out);
std::size_t ExchangeByAvx2(const char* in, std::size_t count, Dtype from, char* out);

}  // namespace opledger
