// Compares the casts of arrays with the scalar casts for all 2^32 float32 and all 2^16 16-bit
// values, and those with rounding in float64. Takes some minutes. Not a test.
//     arithmetic-cast-error
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "conversion/model/half/half_bits.h"
#include "conversion/model/half/vector_instructions.h"
#include "kernels/arithmetic/loops/cast.h"

namespace opledger::arithmetic {
namespace {

// Returns the nearest value with `digits` binary digits and no digit below 2^lowest, by exact steps
// in float64. Values from `limit` on become infinity.
double Rounded(float x, int digits, int lowest, double limit) {
  if (x == 0 || std::isinf(x)) return x;
  const double wide = x;
  const int place = std::max(std::ilogb(wide) - digits + 1, lowest);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(wide, -place)), place);
  return std::fabs(rounded) >= limit ? std::copysign(INFINITY, wide) : rounded;
}

std::uint64_t WrongNarrowed(Dtype dtype, std::uint64_t first, std::size_t n) {
  std::vector<float> in(n);
  std::vector<std::uint16_t> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    in[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first + i));
  }
  Downcast(in.data(), dtype, out.data(), n);
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_float16 = dtype == Dtype::kFloat16;
    const std::uint16_t one = is_float16 ? ToFloat16(in[i]) : ToBfloat16(in[i]);
    const float back = is_float16 ? FromFloat16(one) : FromBfloat16(one);
    const double exact =
        is_float16 ? Rounded(in[i], 11, -24, 65536) : Rounded(in[i], 8, -133, 0x1p128);
    const bool right = std::isnan(in[i])
                           ? std::isnan(back)
                           : back == exact && std::signbit(back) == std::signbit(in[i]);
    wrong += out[i] == one && right ? 0 : 1;
  }
  return wrong;
}

std::uint64_t WrongUpcast(Dtype dtype) {
  std::vector<std::uint16_t> in(65536);
  std::vector<float> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i);
  Upcast(dtype, in.data(), out.data(), in.size());
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const float one = dtype == Dtype::kFloat16 ? FromFloat16(in[i]) : FromBfloat16(in[i]);
    wrong += std::bit_cast<std::uint32_t>(out[i]) == std::bit_cast<std::uint32_t>(one) ? 0 : 1;
  }
  return wrong;
}

}  // namespace
}  // namespace opledger::arithmetic

int main() {
  using opledger::Dtype;
  std::printf("by %s\n", opledger::VectorInstructionsName(opledger::WidestVectorInstructions()));
  std::uint64_t all = 0;
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBfloat16}) {
    std::uint64_t narrowed = 0;
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    for (std::uint64_t first = 0; first < std::uint64_t{1} << 32; first += kBlock) {
      narrowed += opledger::arithmetic::WrongNarrowed(dtype, first, kBlock);
    }
    const std::uint64_t widened = opledger::arithmetic::WrongUpcast(dtype);
    std::printf("%s: %llu of 2^32 narrowed and %llu of 2^16 widened are wrong\n",
                opledger::DtypeName(dtype), static_cast<unsigned long long>(narrowed),
                static_cast<unsigned long long>(widened));
    all += narrowed + widened;
  }
  return all == 0 ? 0 : 1;
}
