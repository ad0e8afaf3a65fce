// Casts of many numbers by AVX2 and F16C, for half.cpp. Call them only where Runs(kAvx2).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "registry/text/dtype.h"

namespace opledger {

// As ConvertFloats, UpcastFloats and ExchangeHalves, for as many numbers as vectors take; returns
// how many that are: the rest, fewer than 16 (and all where the processor is no x86-64), is the
// caller's.
std::size_t ConvertByAvx2(const char* in, std::size_t count, Dtype target, char* out);
std::size_t UpcastByAvx2(const char* in, std::size_t count, Dtype from, char* out);
std::size_t ExchangeByAvx2(const char* in, std::size_t count, Dtype from, char* out);

}  // namespace opledger
