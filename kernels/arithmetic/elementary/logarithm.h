// Log, Log2, Log10, Log1p of elementary.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/float_bits.h"

namespace opledger::arithmetic {

// ln 2 and log10(2): 16 bits, so that the product with an exponent is exact, and the next 24.
constexpr float kLn2High = 0x1.62e4p-1F;
constexpr float kLn2Low = 0x1.7f7d1cp-20F;
constexpr float kLog10Of2High = 0x1.344p-2F;
constexpr float kLog10Of2Low = 0x1.3509f8p-18F;

// A positive value as 2^exponent (1 + fraction), sqrt(1/2) <= 1 + fraction < sqrt(2).
struct LogArgument {
  float fraction;
  std::int32_t exponent;
};

OPLEDGER_ELEMENTARY LogArgument SplitForLog(float x) {
  const bool subnormal = x < 0x1p-126F;
  const std::uint32_t bits = Bits(subnormal ? x * 0x1p25F : x);
  const std::int32_t exponent = static_cast<std::int32_t>(bits - 0x3f3504f3U) >> 23;
  const float mantissa = FromBits(bits - (static_cast<std::uint32_t>(exponent) << 23));
  return {mantissa - 1, subnormal ? exponent - 25 : exponent};
}

// log(1 + f) - f, where f is the fraction of a LogArgument. Minimax, 2^-28.0 of log(1 + f).
OPLEDGER_ELEMENTARY float LogTail(float f) {
  const float q = Horner(f, 0x1.187ed4p-4F, -0x1.e23ac8p-4F, 0x1.e7500ep-4F, -0x1.fb9428p-4F,
                         0x1.232a1cp-3F, -0x1.555fd4p-3F, 0x1.99a578p-3F, -0.25F, 0x1.555546p-2F);
  return Fma(q, f, -0.5F) * (f * f);
}

// log((1 + f + rest) 2^exponent).
OPLEDGER_ELEMENTARY float LogOfParts(float f, float rest, std::int32_t exponent) {
  const auto k = static_cast<float>(exponent);
  const float low = Fma(k, kLn2Low, rest + LogTail(f + rest));
  return Fma(k, kLn2High, f + low);
}

// Returns `result` if x is positive and finite, otherwise the value that all logarithms share.
OPLEDGER_ELEMENTARY float LogSpecial(float x, float result) {
  result = x == kInfinity ? kInfinity : result;
  return x > 0 ? result : x == 0 ? -kInfinity : kNan;
}

OPLEDGER_ELEMENTARY float Log(float x) {
  const LogArgument parts = SplitForLog(x);
  return LogSpecial(x, LogOfParts(parts.fraction, -0.0F, parts.exponent));
}

OPLEDGER_ELEMENTARY float Log2(float x) {
  const LogArgument parts = SplitForLog(x);
  const float f = parts.fraction;
  // log2(e) in two parts: 24 bits and the next.
  const float product = f * 0x1.715476p+0F;
  const float rest = Fma(f, 0x1.715476p+0F, -product) + f * 0x1.4ae0cp-26F;
  const float low = Fma(LogTail(f), 0x1.715476p+0F, rest);
  return LogSpecial(x, static_cast<float>(parts.exponent) + (product + low));
}

OPLEDGER_ELEMENTARY float Log10(float x) {
  const LogArgument parts = SplitForLog(x);
  const float f = parts.fraction;
  const auto k = static_cast<float>(parts.exponent);
  // log10(e) in two parts: 24 bits and the next.
  const float product = f * 0x1.bcb7b2p-2F;
  const float rest = Fma(f, 0x1.bcb7b2p-2F, -product) - f * 0x1.5b235ep-27F;
  const float low = Fma(k, kLog10Of2Low, Fma(LogTail(f), 0x1.bcb7b2p-2F, rest));
  return LogSpecial(x, Fma(k, kLog10Of2High, product + low));
}

// log(1 + x): the logarithm of the rounded sum, corrected by the rounding error.
OPLEDGER_ELEMENTARY float Log1p(float x) {
  const float sum = 1 + x;
  const LogArgument parts = SplitForLog(sum);
  const float lost = x < 1 ? x - (sum - 1) : 1 - (sum - x);
  const std::int32_t k = parts.exponent > 126 ? 126 : parts.exponent;
  const float rest = lost * PowerOfTwo(-k);
  const float result = LogSpecial(sum, LogOfParts(parts.fraction, rest, parts.exponent));
  return Abs(x) < 0x1p-25F ? x : result;  // also -0
}

}  // namespace opledger::arithmetic
