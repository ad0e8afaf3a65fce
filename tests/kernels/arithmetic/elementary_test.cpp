// Functions of two arguments, the emulated fused multiply-add, large angles.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/elementary/elementary.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "tests/kernels/arithmetic/exact_functions.h"

namespace opledger::arithmetic {
namespace {

constexpr float kOddities[] = {0.0F,
                               -0.0F,
                               1.0F,
                               -1.0F,
                               0.5F,
                               -0.5F,
                               2.0F,
                               -2.0F,
                               3.0F,
                               -3.0F,
                               2.5F,
                               -7.25F,
                               0x1p-149F,
                               -0x1p-149F,
                               0x1p-126F,
                               0x1.8p-130F,
                               1e30F,
                               -1e30F,
                               0x1p24F,
                               0x1p24F + 2,
                               -16777215.0F,
                               8388607.5F,
                               0x1.fffffep127F,
                               kInfinity,
                               -kInfinity,
                               kNan};

float Random(std::mt19937& generator) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(generator()));
}

void ExpectSame(float got, float expected, float x, float y) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << x << " " << y << ": " << got;
  } else {
    EXPECT_EQ(Bits(got), Bits(expected)) << x << " " << y << ": " << got << ", not " << expected;
  }
}

TEST(ElementaryTest, FmaWithoutAnInstructionIsRoundedOnce) {
  std::mt19937 generator(7);
  for (const float a : kOddities) {
    for (const float b : kOddities) {
      for (const float c : kOddities) ExpectSame(FmaByFloat64(a, b, c), std::fma(a, b, c), a, b);
    }
  }
  for (int i = 0; i < 200000; ++i) {
    // Products close to the addend, and sums halfway between two float32 values.
    const float a = Random(generator);
    const float b = Random(generator);
    const int exponent = static_cast<int>(generator() % 60) - 30;
    for (const float c : {std::ldexp(a * b, exponent), std::ldexp(1.0F, exponent * 4), -(a * b)}) {
      ExpectSame(FmaByFloat64(a, b, c), std::fma(a, b, c), a, b);
    }
  }
}

TEST(ElementaryTest, ExpNotAbove0HasTheBitsOfExp) {
  for (const float x : {-0.0F, 0.0F, -150.0F, -103.97F, -103.98F, -87.34F, -0x1p-149F}) {
    ExpectSame(ExpNotAbove0(x), Exp(x), x, 0);
  }
  // Every float32 in the range whose result does not round to 1, except for some low bits.
  for (std::uint32_t bits = Bits(-0x1p-26F); bits < Bits(-150.0F); bits += 251) {
    const float x = FromBits(bits);
    ASSERT_EQ(Bits(ExpNotAbove0(x)), Bits(Exp(x))) << x;
  }
}

TEST(ElementaryTest, QuotientIsTheNearestNumber) {
  std::mt19937 generator(11);
  const auto between_1_and_2 = [&] { return FromBits(Bits(1.0F) | generator() >> 9); };
  for (int i = 0; i < 400000; ++i) {
    const float divisor = std::ldexp(between_1_and_2(), static_cast<int>(generator() % 40));
    const float inverse = 1 / divisor;
    const float x = std::ldexp(between_1_and_2(), static_cast<int>(generator() % 120) - 60);
    // Also quotients next to a value, and halfway between two.
    const float near = divisor * FromBits(Bits(1.0F) + generator() % 16);
    for (const float y : {x, near, std::nextafter(near, 0.0F), 0.0F}) {
      ExpectSame(Quotient(y, divisor, inverse), y / divisor, y, divisor);
      EXPECT_FALSE(IsTooSmallForQuotient(y)) << y;
    }
  }
  EXPECT_TRUE(IsTooSmallForQuotient(0x1p-149F) && IsTooSmallForQuotient(0x1.fffffep-61F));
}

TEST(ElementaryTest, PowHasTheSpecialCasesOfC) {
  for (const float x : kOddities) {
    for (const float y : kOddities) {
      const float got = Pow(x, y);
      const double exact = std::pow(static_cast<double>(x), static_cast<double>(y));
      EXPECT_LE(UlpError<double>(got, exact), 2.0) << x << " to the " << y << " is " << got;
    }
  }
}

TEST(ElementaryTest, PowErrsLittle) {
  std::mt19937 generator(11);
  double worst = 0;
  for (int i = 0; i < 300000; ++i) {
    const float x = Abs(Random(generator));
    // Exponents for which the result is in range.
    const double log = std::log2(static_cast<double>(x));
    const double aim = static_cast<double>(generator() % 300) - 150;
    const float y = i % 3 == 0 ? Random(generator) : static_cast<float>(aim / log);
    const double exact = std::pow(static_cast<double>(x), static_cast<double>(y));
    if (std::isnan(x) || std::isnan(y)) continue;
    const double error = UlpError<double>(Pow(x, y), exact);
    ASSERT_LE(error, 3.0) << x << " to the " << y << " is " << Pow(x, y);
    worst = std::max(worst, error);
  }
  RecordProperty("worst", std::to_string(worst));
}

TEST(ElementaryTest, MinimumAndMaximumTakeNanAndOrderZeros) {
  for (const float x : kOddities) {
    EXPECT_TRUE(std::isnan(Minimum(x, kNan)) && std::isnan(Maximum(kNan, x)));
    for (const float y : kOddities) {
      if (std::isnan(x) || std::isnan(y)) continue;
      const bool less = x < y || (x == y && std::signbit(x));
      ExpectSame(Minimum(x, y), less ? x : y, x, y);
      ExpectSame(Maximum(x, y), less ? y : x, x, y);
    }
  }
}

TEST(ElementaryTest, SpecialValuesAreTheDocumentedOnes) {
  EXPECT_EQ(Bits(LogSigmoid(kInfinity)), kSignBit);
  EXPECT_TRUE(std::isnan(Softsign(kInfinity)));
  for (const float limit : {Silu(-kInfinity), Mish(-kInfinity), GeluErf(-kInfinity),
                            GeluTanh(-kInfinity), Reciprocal(-kInfinity)}) {
    EXPECT_EQ(Bits(limit), kSignBit);
  }
  for (const float infinite : {Silu(kInfinity), Mish(kInfinity), GeluErf(kInfinity),
                               GeluTanh(kInfinity), Rsqrt(0), Atanh(1), -Log1p(-1)}) {
    EXPECT_EQ(infinite, kInfinity);
  }
  for (const float zero :
       {GeluErf(-0.0F), GeluTanh(-0.0F), Silu(-0.0F), Mish(-0.0F), Sin(-0.0F), Tan(-0.0F),
        Erf(-0.0F), Expm1(-0.0F), Log1p(-0.0F), Ceil(-0.25F), Floor(-0.0F), RoundHalfEven(-0.5F),
        RoundHalfAway(-0.25F), Trunc(-0.5F)}) {
    EXPECT_EQ(Bits(zero), kSignBit);
  }
  EXPECT_EQ(Bits(Relu(-0.0F)), 0U);
  EXPECT_EQ(RoundHalfEven(2.5F), 2);
  EXPECT_EQ(RoundHalfAway(2.5F), 3);
  EXPECT_EQ(RoundHalfAway(0.49999997F), 0);
}

TEST(ElementaryTest, FmodIsExact) {
  for (const float x : kOddities) {
    for (const float y : kOddities) ExpectSame(Fmod(x, y), std::fmod(x, y), x, y);
  }
}

// Every quadrant by integer reduction, also where float32 steps would suffice, and the hardest
// float32 angle.
TEST(ElementaryTest, LargeAnglesAreReducedExactly) {
  std::mt19937 generator(13);
  for (int i = 0; i < 200000; ++i) {
    const float x = std::ldexp(1 + static_cast<float>(generator() & 0x7fffff) * 0x1p-23F,
                               16 + static_cast<int>(generator() % 112));
    const Angle angle = ReduceLarge(x);
    ASSERT_LE(Abs(angle.radians), 0.7854F) << x;
    ASSERT_LE(UlpError<double>(SinOfAngle(angle, 0, 0), std::sin(static_cast<double>(x))), 2) << x;
    ASSERT_LE(UlpError<double>(SinOfAngle(angle, 1, 0), std::cos(static_cast<double>(x))), 2) << x;
  }
  const float hardest = 16367173.0F * 0x1p72F;
  EXPECT_LE(UlpError<double>(Cos(hardest), std::cos(static_cast<double>(hardest))), 2);
}

}  // namespace
}  // namespace opledger::arithmetic
