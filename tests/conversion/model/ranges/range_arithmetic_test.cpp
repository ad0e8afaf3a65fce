// Results in float32 lie in the range that range arithmetic computes from the operands' ranges.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "conversion/model/ranges/ranges.h"
#include "tests/conversion/model/ranges/range_draws.h"
#include "tests/rounds.h"

namespace opledger {
namespace {

template <typename Number>
void ExpectIn(const Range& range, Number number, const Range& a, const Range& b = {}) {
  ASSERT_TRUE(range.Contains(static_cast<double>(number)))
      << number << " of " << Described(a) << " and " << Described(b) << " is not in "
      << Described(range);
}

void ExpectOfPairs(Range (*range)(const Range&, const Range&), float (*number)(float, float)) {
  RangeDraws draws(1);
  for (int i = 0; i < Rounds(kEvaluations) / kNumbers; ++i) {
    const Range a = draws.Any();
    const Range b = draws.Any();
    const Range result = range(a, b);
    for (int j = 0; j < kNumbers; ++j) {
      if ((a.IsEmpty() && !a.nan) || (b.IsEmpty() && !b.nan)) break;
      ASSERT_NO_FATAL_FAILURE(ExpectIn(result, number(draws.In(a), draws.In(b)), a, b));
    }
  }
}

void ExpectOfEach(Range (*range)(const Range&), float (*number)(float)) {
  RangeDraws draws(2);
  for (int i = 0; i < Rounds(kEvaluations) / kNumbers; ++i) {
    const Range a = draws.Any();
    const Range result = range(a);
    for (int j = 0; j < kNumbers; ++j) {
      if (a.IsEmpty() && !a.nan) break;
      ASSERT_NO_FATAL_FAILURE(ExpectIn(result, number(draws.In(a)), a));
    }
  }
}

TEST(RangeArithmetic, SumAndDifference) {
  ExpectOfPairs(Sum, [](float a, float b) { return a + b; });
  ExpectOfPairs(Difference, [](float a, float b) { return a - b; });
}

TEST(RangeArithmetic, Product) {
  ExpectOfPairs(Product, [](float a, float b) { return a * b; });
}

TEST(RangeArithmetic, Quotient) {
  ExpectOfPairs(Quotient, [](float a, float b) { return a / b; });
}

TEST(RangeArithmetic, LeastAndGreatest) {
  ExpectOfPairs(Least, [](float a, float b) { return a != a ? a : b != b ? b : std::min(a, b); });
  ExpectOfPairs(Greatest, [](float a, float b) {
    return a != a ? a : b != b ? b : std::max(a, b);
  });
}

TEST(RangeArithmetic, SquareMagnitudesNegated) {
  ExpectOfEach(Square, [](float a) { return a * a; });
  ExpectOfEach(Magnitudes, [](float a) { return std::abs(a); });
  ExpectOfEach(Negated, [](float a) { return -a; });
}

// The hull of two ranges contains values of both.
TEST(RangeArithmetic, Hull) {
  RangeDraws draws(3);
  for (int i = 0; i < Rounds(kEvaluations); ++i) {
    const Range a = draws.Any();
    const Range b = draws.Any();
    const Range& drawn = draws.Chance(0.5) ? a : b;
    if (drawn.IsEmpty() && !drawn.nan) continue;
    ASSERT_NO_FATAL_FAILURE(ExpectIn(Hull(a, b), draws.In(drawn), a, b));
  }
}

TEST(RangeArithmetic, Intersection) {
  RangeDraws draws(4);
  int common = 0;
  for (int i = 0; i < Rounds(kEvaluations); ++i) {
    const Range a = draws.Any();
    Range b = draws.Chance(0.3) ? Hull(a, draws.Any()) : draws.Any();
    if (a.IsEmpty() && !a.nan) continue;
    const float number = draws.In(a);
    if (!b.Contains(static_cast<double>(number))) continue;
    ++common;
    ASSERT_NO_FATAL_FAILURE(ExpectIn(Intersection(a, b), number, a, b));
  }
  EXPECT_GT(common, Rounds(kEvaluations) / 4);
}

// Tightens bounds, gap and flags that are not yet consistent.
TEST(RangeArithmetic, Tightened) {
  RangeDraws draws(5);
  for (int i = 0; i < Rounds(kEvaluations) / kNumbers; ++i) {
    Range loose = draws.Any();
    if (draws.Chance(0.5)) loose.gap = std::abs(draws.Mark());
    if (draws.Chance(0.5)) loose.zero = draws.Chance(0.5);
    if (draws.Chance(0.3)) loose.integer = true;
    const Range tight = Tightened(loose);
    for (int j = 0; j < kNumbers; ++j) {
      const float number = draws.In(draws.Any());
      if (!loose.Contains(static_cast<double>(number))) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectIn(tight, number, loose));
    }
    for (const double number : {loose.low, loose.high, loose.gap, -loose.gap, 0.0}) {
      if (!loose.Contains(number)) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectIn(tight, number, loose));
    }
  }
}

// Sums in random order, with partial sums.
float SumInSomeOrder(std::vector<float> numbers, RangeDraws& draws) {
  while (numbers.size() > 1 && draws.Chance(0.5)) {
    std::swap(numbers[0], numbers[draws.Below(numbers.size())]);
    numbers[0] += numbers.back();
    numbers.pop_back();
  }
  float sum = 0;
  for (const float number : numbers) sum += number;
  return sum;
}

TEST(RangeArithmetic, SumOf) {
  RangeDraws draws(6);
  for (int i = 0; i < Rounds(kEvaluations) / 4; ++i) {
    const Range a = draws.Chance(0.3) ? draws.Finite() : draws.Any();
    if (a.IsEmpty() && !a.nan) continue;
    const std::size_t count = draws.Chance(0.5) ? 1 + draws.Below(4) : 1 + draws.Below(40);
    std::vector<float> numbers(count, draws.In(a));
    const bool alike = draws.Chance(0.3);
    for (float& number : numbers) number = alike ? number : draws.In(a);
    const float sum = SumInSomeOrder(numbers, draws);
    ASSERT_NO_FATAL_FAILURE(ExpectIn(SumOf(a, static_cast<double>(count)), sum, a)) << count;
    ASSERT_NO_FATAL_FAILURE(ExpectIn(SumOf(a, std::nullopt), sum, a)) << count;
  }
  EXPECT_EQ(SumOf(Range::Between(1, 2), 0).high, 0);
}

// Keeps only `bits` bits after the first, in a type whose smallest positive value is 2^least.
double ToBits(double number, int bits, int least, double largest) {
  if (number == 0 || !std::isfinite(number)) return number;
  const double place = std::ldexp(1, std::max(std::ilogb(number) - bits, least));
  const double rounded = std::nearbyint(number / place) * place;
  return std::abs(rounded) > largest ? std::copysign(kInfinite, number) : rounded;
}

TEST(RangeArithmetic, RoundedToFloats) {
  RangeDraws draws(7);
  for (int i = 0; i < Rounds(kEvaluations) / kNumbers; ++i) {
    const Range a = draws.Any();
    if (a.IsEmpty() && !a.nan) continue;
    const Range half = Rounded(a, Dtype::kFloat16);
    const Range brain = Rounded(a, Dtype::kBfloat16);
    for (int j = 0; j < kNumbers; ++j) {
      const auto number = static_cast<double>(draws.In(a));
      ASSERT_NO_FATAL_FAILURE(ExpectIn(half, ToBits(number, 10, -24, 65504), a));
      ASSERT_NO_FATAL_FAILURE(ExpectIn(brain, ToBits(number, 7, -133, 0x1.fep127), a));
      ASSERT_NO_FATAL_FAILURE(ExpectIn(Rounded(a, Dtype::kFloat32), number, a));
    }
  }
}

template <typename Integer>
void ExpectWrapped(Dtype dtype) {
  RangeDraws draws(8);
  for (int i = 0; i < Rounds(kEvaluations) / kNumbers; ++i) {
    double low = std::trunc(draws.Mark());
    double high = draws.Chance(0.3) ? low : std::trunc(draws.Mark());
    if (std::max(std::abs(low), std::abs(high)) > 0x1p52) continue;
    if (low > high) std::swap(low, high);
    const Range a = Range::Integers(low, high);
    const Range result = Rounded(a, dtype);
    for (int j = 0; j < kNumbers; ++j) {
      const auto whole = static_cast<std::int64_t>(draws.In(a));
      if (!a.Contains(static_cast<double>(whole))) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectIn(result, static_cast<Integer>(whole), a));
    }
  }
}

TEST(RangeArithmetic, RoundedToIntegers) {
  ExpectWrapped<std::int8_t>(Dtype::kInt8);
  ExpectWrapped<std::uint8_t>(Dtype::kUint8);
  ExpectWrapped<std::int16_t>(Dtype::kInt16);
  ExpectWrapped<std::uint16_t>(Dtype::kUint16);
  ExpectWrapped<std::int32_t>(Dtype::kInt32);
  ExpectWrapped<std::uint32_t>(Dtype::kUint32);
  ExpectWrapped<std::int64_t>(Dtype::kInt64);
}

// A double with the declared error, then rounded or flushed to zero.
TEST(RangeArithmetic, InFloat32) {
  RangeDraws draws(9);
  for (int i = 0; i < Rounds(kEvaluations) / kNumbers; ++i) {
    Range a = draws.Any();
    if (a.IsEmpty()) continue;
    const double relative = draws.Chance(0.5) ? 0 : 0x1p-17;
    const double absolute = draws.Chance(0.5) ? 0 : 0x1p-19;
    const Range result = InFloat32(a, relative, absolute);
    for (int j = 0; j < kNumbers; ++j) {
      const auto exact = static_cast<double>(draws.In(a));
      if (!std::isfinite(exact)) continue;
      const double off = (draws.Below(3) - 1.0) * relative * std::abs(exact);
      const double moved = exact + off + (draws.Below(3) - 1.0) * absolute;
      if (a.integer && std::nearbyint(moved) != moved) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectIn(result, static_cast<float>(moved), a)) << moved;
      if (!a.integer) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectIn(result, moved, a));
    }
  }
}

// Integers do not round as float32 numbers do.
TEST(RangeArithmetic, IntegersBeyondFloat32) {
  RangeDraws draws(10);
  for (int i = 0; i < Rounds(kEvaluations); ++i) {
    const auto a = static_cast<std::int64_t>(draws.Bits()) >> (17 + draws.Below(40));
    const auto b = static_cast<std::int64_t>(draws.Bits()) >> (17 + draws.Below(40));
    const Range of_a = Range::Point(static_cast<double>(a));
    const Range of_b = Range::Point(static_cast<double>(b));
    ASSERT_NO_FATAL_FAILURE(ExpectIn(Sum(of_a, of_b), a + b, of_a, of_b));
    ASSERT_NO_FATAL_FAILURE(ExpectIn(Difference(of_a, of_b), a - b, of_a, of_b));
    if (std::abs(a) >= 1 << 25 || std::abs(b) >= 1 << 26) continue;
    ASSERT_NO_FATAL_FAILURE(ExpectIn(Product(of_a, of_b), a * b, of_a, of_b));
  }
}

}  // namespace
}  // namespace opledger
