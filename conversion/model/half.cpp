// By F16C where the processor has it, else by integer arithmetic with the same results.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/half.h"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace opledger {
namespace {

constexpr std::uint32_t kSign = 0x80000000;
constexpr std::uint32_t kInfinity = 0x7f800000;

void ConvertPortably(const char* in, std::size_t count, Dtype target, char* out) {
  for (std::size_t i = 0; i < count; ++i) {
    float value = 0;
    std::memcpy(&value, in + 4 * i, 4);
    const std::uint16_t half = target == Dtype::kFloat16 ? ToFloat16(value) : ToBfloat16(value);
    std::memcpy(out + 2 * i, &half, 2);
  }
}

#if defined(__x86_64__)
__attribute__((target("avx,f16c"))) std::size_t ConvertByF16c(const char* in, std::size_t count,
                                                              char* out) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 values = _mm256_loadu_ps(reinterpret_cast<const float*>(in + 4 * i));
    const __m128i halves = _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 2 * i), halves);
  }
  return i;
}
#endif

}  // namespace

std::uint16_t ToFloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits & kSign) >> 16);
  std::uint32_t magnitude = bits & ~kSign;
  if (magnitude > kInfinity) {  // NaN: quiet, the payload's upper bits kept
    return static_cast<std::uint16_t>(sign | 0x7e00U | (magnitude >> 13 & 0x3ffU));
  }
  if (magnitude >= 0x47800000) return sign | 0x7c00U;  // 65536 and above
  if (magnitude < 0x33000000) return sign;             // below half of the smallest subnormal
  if (magnitude < 0x38800000) {                        // a subnormal: 2^-24 times an integer
    const std::uint32_t exponent = magnitude >> 23;
    const std::uint32_t mantissa = (magnitude & 0x7fffffU) | 0x800000U;
    const std::uint32_t shift = 126 - exponent;
    const std::uint32_t half = 1U << (shift - 1);
    const std::uint32_t rest = mantissa & ((1U << shift) - 1);
    std::uint32_t result = mantissa >> shift;
    if (rest > half || (rest == half && (result & 1) != 0)) ++result;
    return static_cast<std::uint16_t>(sign | result);
  }
  magnitude -= 0x38000000;  // the difference of the exponents' biases
  magnitude += 0xfffU + (magnitude >> 13 & 1);
  return static_cast<std::uint16_t>(sign | magnitude >> 13);
}

std::uint16_t ToBfloat16(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & ~kSign) > kInfinity) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  bits += 0x7fffU + (bits >> 16 & 1);
  return static_cast<std::uint16_t>(bits >> 16);
}

void ConvertFloats(const char* in, std::size_t count, Dtype target, char* out) {
  std::size_t done = 0;
#if defined(__x86_64__)
  // Every processor with AVX2 has F16C, which clang 14 cannot ask for.
  static const bool has_f16c = __builtin_cpu_supports("avx2") != 0;
  if (target == Dtype::kFloat16 && has_f16c) done = ConvertByF16c(in, count, out);
#endif
  ConvertPortably(in + 4 * done, count - done, target, out + 2 * done);
}

float FromFloat16(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16;
  const std::uint32_t exponent = half >> 10 & 0x1fU;
  const std::uint32_t mantissa = half & 0x3ffU;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | kInfinity | mantissa << 13);
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | mantissa << 13);
  }
  // 2^-24 times an integer, which float32 holds exactly.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

float FromBfloat16(std::uint16_t half) { return std::bit_cast<float>(std::uint32_t{half} << 16); }

void WidenFloats(const char* in, std::size_t count, Dtype from, char* out) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, in + 2 * i, 2);
    const float value = from == Dtype::kFloat16 ? FromFloat16(half) : FromBfloat16(half);
    std::memcpy(out + 4 * i, &value, 4);
  }
}

}  // namespace opledger
