// Building blocks of the elementary functions: the bits of a float32, fused multiply-add, and
// polynomials. The same bits from every compiler, processor and GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Internal linkage, and inlined at every optimization level: files are compiled for different
// instruction sets, and the linker must not merge their copies.
#if defined(__CUDACC__)
#define OPLEDGER_ELEMENTARY static __host__ __device__ __forceinline__
#else
#define OPLEDGER_ELEMENTARY static inline __attribute__((always_inline))
#endif

#if defined(__FAST_MATH__)
#error "-ffast-math changes the bits that these functions promise"
#endif

namespace opledger::arithmetic {

constexpr std::uint32_t kSignBit = 0x80000000U;
constexpr float kInfinity = __builtin_inff();
constexpr float kNan = __builtin_nanf("");

OPLEDGER_ELEMENTARY std::uint32_t Bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }
OPLEDGER_ELEMENTARY float FromBits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }

OPLEDGER_ELEMENTARY float Abs(float x) { return FromBits(Bits(x) & ~kSignBit); }
OPLEDGER_ELEMENTARY float CopySign(float magnitude, float sign) {
  return FromBits((Bits(magnitude) & ~kSignBit) | (Bits(sign) & kSignBit));
}

// a * b + c in float64, for targets without an FMA instruction. The product is exact and the sum is
// rounded to odd (if inexact, its last bit is set), so that the second rounding is correct.
OPLEDGER_ELEMENTARY float FmaByFloat64(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double wide = c;
  const double sum = product + wide;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (wide - part);
  // Truncate towards zero, then set the last bit. Infinities and NaN have no error above 0.
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, sum);
  const std::uint64_t opposite = (bits ^ __builtin_bit_cast(std::uint64_t, error)) >> 63;
  const bool inexact = __builtin_fabs(error) > 0;
  const double odd = __builtin_bit_cast(double, (bits - opposite) | 1);
  return static_cast<float>(inexact ? odd : sum);
}

// a * b + c, rounded once.
OPLEDGER_ELEMENTARY float Fma(float a, float b, float c) {
#if defined(__FMA__) || defined(__CUDA_ARCH__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return FmaByFloat64(a, b, c);
#endif
}

// (((c1 x + c2) x + c3) x + ...), each step rounded once.
OPLEDGER_ELEMENTARY float Horner(float /*x*/, float value) { return value; }
template <typename... Coefficients>
OPLEDGER_ELEMENTARY float Horner(float x, float value, float next, Coefficients... rest) {
  return Horner(x, Fma(value, x, next), rest...);
}

// 2^k for -126 <= k <= 127.
OPLEDGER_ELEMENTARY float PowerOfTwo(std::int32_t k) {
  return FromBits((static_cast<std::uint32_t>(k) + 127U) << 23);
}

// A value in two parts, mantissa * 2^exponent, which may be outside the range of float32.
struct Scaled {
  float mantissa;
  std::int32_t exponent;
};

// Returns the value, rounded once even if it is subnormal. -250 <= exponent <= 254; the mantissa is
// between 2^-20 and 2^20 or is 0, infinite or NaN.
OPLEDGER_ELEMENTARY float Value(Scaled x) {
  const std::int32_t half = x.exponent >> 1;
  return x.mantissa * PowerOfTwo(half) * PowerOfTwo(x.exponent - half);
}

// Adding it to a value of magnitude below 2^22 leaves the nearest integer in the low bits.
constexpr float kRounder = 0x1.8p23F;
constexpr std::uint32_t kRounderBits = 0x4b400000U;

}  // namespace opledger::arithmetic
