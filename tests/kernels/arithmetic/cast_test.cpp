// Compares casts of arrays with scalar casts, at every length and alignment, in place, and for
// arrays written around the caches. cast_error.cpp tests all 2^32 values.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/cast.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "conversion/model/half/half_bits.h"

namespace opledger::arithmetic {
namespace {

constexpr Dtype kHalves[] = {Dtype::kFloat16, Dtype::kBfloat16};

std::uint16_t ToHalf(Dtype dtype, float x) {
  return dtype == Dtype::kFloat16 ? ToFloat16(x) : ToBfloat16(x);
}
float FromHalf(Dtype dtype, std::uint16_t x) {
  return dtype == Dtype::kFloat16 ? FromFloat16(x) : FromBfloat16(x);
}

// Returns `n` values, repeated: all exponents, ties and NaN payloads.
std::vector<float> Numbers(std::size_t n) {
  std::vector<float> numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t low[] = {0,      1,      0xfff,  0x1000, 0x1001,
                                 0x3000, 0x7fff, 0x8000, 0x8001, 0x18000};
    const auto high = static_cast<std::uint32_t>(i * 2654435761U);
    numbers[i] = std::bit_cast<float>((high & 0xfffe0000U) | low[i % 10]);
  }
  return numbers;
}

void ExpectNarrowed(Dtype dtype, std::size_t n, std::size_t offset) {
  const std::vector<float> in = Numbers(n);
  std::vector<char> out(2 * n + offset + 64, '\x5a');
  Downcast(in.data(), dtype, out.data() + offset, n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t got = 0;
    std::memcpy(&got, out.data() + offset + 2 * i, 2);
    ASSERT_EQ(got, ToHalf(dtype, in[i])) << DtypeName(dtype) << " " << n << " " << i;
  }
  for (std::size_t i = 0; i < offset; ++i) ASSERT_EQ(out[i], '\x5a');
  for (std::size_t i = offset + 2 * n; i < out.size(); ++i) ASSERT_EQ(out[i], '\x5a');
}

void ExpectUpcast(Dtype dtype, std::size_t n, std::size_t offset) {
  std::vector<char> in(2 * n + offset);
  for (std::size_t i = 0; i < n; ++i) {
    const auto half = static_cast<std::uint16_t>(i * 40503U);
    std::memcpy(in.data() + offset + 2 * i, &half, 2);
  }
  std::vector<float> out(n + 32, -7.5F);
  Upcast(dtype, in.data() + offset, out.data() + 3, n);
  for (std::size_t i = 0; i < n; ++i) {
    const float expected = FromHalf(dtype, static_cast<std::uint16_t>(i * 40503U));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i + 3]), std::bit_cast<std::uint32_t>(expected))
        << DtypeName(dtype) << " " << n << " " << i;
  }
  for (std::size_t i = n + 3; i < out.size(); ++i) ASSERT_EQ(out[i], -7.5F);
}

TEST(CastTest, EveryLengthAndAlignment) {
  for (const Dtype dtype : kHalves) {
    for (std::size_t n = 0; n < 100; ++n) {
      for (const std::size_t offset : {0, 1, 2, 6, 30}) {
        ExpectNarrowed(dtype, n, offset);
        ExpectUpcast(dtype, n, offset);
      }
    }
  }
}

TEST(CastTest, LargeArrays) {
  const std::size_t n = (std::size_t{4} << 20) + 37;  // enough for writes around the caches
  for (const Dtype dtype : kHalves) {
    ExpectNarrowed(dtype, n, 6);
    ExpectUpcast(dtype, n / 2, 2);
  }
}

TEST(CastTest, NarrowsInPlace) {
  for (const std::size_t n : {std::size_t{50}, (std::size_t{4} << 20) + 37}) {
    const std::vector<float> in = Numbers(n);
    std::vector<float> array = in;
    Cast(Dtype::kFloat32, array.data(), Dtype::kFloat16, array.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      std::uint16_t got = 0;
      std::memcpy(&got, reinterpret_cast<const char*>(array.data()) + 2 * i, 2);
      ASSERT_EQ(got, ToFloat16(in[i])) << n << " " << i;
    }
  }
}

// Every exponent, with the bits that a 16-bit type cannot hold around a tie; including NaNs.
TEST(CastTest, RoundsInPlaceAsThereAndBack) {
  std::vector<float> in;
  for (std::uint32_t bits = 0; bits < 0xfff00000U; bits += 0x3f9f1U) {
    in.push_back(std::bit_cast<float>(bits));
    in.push_back(std::bit_cast<float>((bits & 0xffffe000U) | 0x1000U));
    in.push_back(std::bit_cast<float>((bits & 0xffff0000U) | 0x8000U));
  }
  for (const Dtype dtype : kHalves) {
    std::vector<std::uint16_t> halves(in.size());
    std::vector<float> expected(in.size());
    Downcast(in.data(), dtype, halves.data(), in.size());
    Upcast(dtype, halves.data(), expected.data(), in.size());
    std::vector<float> rounded = in;
    RoundTo(dtype, rounded.data(), rounded.size());
    EXPECT_EQ(0, std::memcmp(rounded.data(), expected.data(), 4 * in.size())) << DtypeName(dtype);
    for (std::size_t n = 0; n < 40; ++n) {
      rounded = in;
      RoundTo(dtype, rounded.data() + 5, n);
      EXPECT_EQ(0, std::memcmp(rounded.data() + 5, expected.data() + 5, 4 * n));
      EXPECT_EQ(0, std::memcmp(rounded.data() + 5 + n, in.data() + 5 + n, 64));
    }
  }
}

TEST(CastTest, BetweenTheHalvesRoundsOnce) {
  std::vector<std::uint16_t> in(65536);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i);
  std::vector<std::uint16_t> out(in.size());
  Cast(Dtype::kFloat16, in.data(), Dtype::kBfloat16, out.data(), in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(out[i], ToBfloat16(FromFloat16(in[i]))) << i;
  }
  Cast(Dtype::kBfloat16, in.data(), Dtype::kFloat16, out.data(), in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(out[i], ToFloat16(FromBfloat16(in[i]))) << i;
  }
  Cast(Dtype::kFloat16, in.data(), Dtype::kFloat16, out.data(), in.size());
  EXPECT_EQ(in, out);
}

TEST(CastTest, AllFiniteLooksAtEveryElement) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16}) {
    const std::size_t n = 9001;
    std::vector<float> numbers(n, dtype == Dtype::kFloat16 ? 65504.0F : 0x1.fep127F);
    std::vector<char> bytes(4 * n);
    for (const float bad : {INFINITY, -INFINITY, NAN}) {
      for (const std::size_t at : {std::size_t{0}, std::size_t{4095}, std::size_t{4096}, n - 1}) {
        const float good = numbers[at];
        Downcast(numbers.data(), dtype, bytes.data(), n);
        EXPECT_TRUE(AllFinite(dtype, bytes.data(), n));
        numbers[at] = bad;
        Downcast(numbers.data(), dtype, bytes.data(), n);
        EXPECT_FALSE(AllFinite(dtype, bytes.data(), n)) << DtypeName(dtype) << " " << at;
        EXPECT_TRUE(AllFinite(dtype, bytes.data(), at));
        numbers[at] = good;
      }
    }
  }
}

}  // namespace
}  // namespace opledger::arithmetic
