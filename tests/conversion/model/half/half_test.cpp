// Compares casts with the compiler's _Float16, and the fast casts with the plain ones.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/half/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace opledger {
namespace {

// Returns every exponent with mantissas around all ties of both types, and every 9973rd bit
// pattern.
std::vector<float> Numbers() {
  std::vector<float> numbers;
  for (std::uint32_t high = 0; high < 512; ++high) {
    for (std::uint32_t upper = 0; upper < 1024; upper += 31) {
      for (const std::uint32_t lower : {0U, 1U, 0xfffU, 0x1000U, 0x1001U, 0x1fffU}) {
        numbers.push_back(std::bit_cast<float>(high << 23 | upper << 13 | lower));
      }
    }
  }
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 9973) {
    numbers.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  return numbers;
}

TEST(HalfTest, FastEqualsPlain) {
  const std::vector<float> numbers = Numbers();
  for (const Dtype target : {Dtype::kFloat16, Dtype::kBfloat16}) {
    std::vector<std::uint16_t> halves(numbers.size());
    ConvertFloats(reinterpret_cast<const char*>(numbers.data()), numbers.size(), target,
                  reinterpret_cast<char*>(halves.data()));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint16_t plain =
          target == Dtype::kFloat16 ? ToFloat16(numbers[i]) : ToBfloat16(numbers[i]);
      ASSERT_EQ(halves[i], plain) << numbers[i] << " " << DtypeName(target);
    }
  }
}

TEST(HalfTest, RaisesWhatWouldBecomeZero) {
  const std::vector<float> numbers = Numbers();
  const auto* in = reinterpret_cast<const char*>(numbers.data());
  for (const Dtype target : {Dtype::kFloat16, Dtype::kBfloat16}) {
    std::vector<std::uint16_t> plain(numbers.size());
    std::vector<std::uint16_t> raised(numbers.size());
    ConvertFloats(in, numbers.size(), target, reinterpret_cast<char*>(plain.data()));
    const std::size_t count =
        ConvertRaised(in, numbers.size(), target, reinterpret_cast<char*>(raised.data()));
    std::size_t expected = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double number = std::fabs(static_cast<double>(numbers[i]));
      const bool small = number != 0 && number <= LargestFlushed(target);
      const auto sign = static_cast<std::uint16_t>(std::signbit(numbers[i]) ? 0x8000U : 0U);
      expected += small ? 1 : 0;
      ASSERT_EQ(raised[i], small ? sign | 1U : plain[i]) << numbers[i] << " " << DtypeName(target);
    }
    EXPECT_EQ(count, expected);
    EXPECT_GT(count, 0U);
  }
}

#if defined(__FLT16_MAX__) && !defined(__clang__)
TEST(HalfTest, EqualsTheCompilersFloat16) {
  for (const float number : Numbers()) {
    const auto expected = static_cast<_Float16>(number);
    std::uint16_t bits = 0;
    std::memcpy(&bits, &expected, 2);
    if (std::isnan(number)) {
      ASSERT_EQ(ToFloat16(number) & 0x7e00, 0x7e00) << number;
      ASSERT_EQ(ToFloat16(number) >> 15, bits >> 15) << number;
    } else {
      ASSERT_EQ(ToFloat16(number), bits) << number;
    }
  }
}
#endif

TEST(HalfTest, RoundsBfloat16ToTheNearest) {
  for (const float number : Numbers()) {
    if (std::isnan(number)) {
      ASSERT_TRUE(std::isnan(std::bit_cast<float>(std::uint32_t{ToBfloat16(number)} << 16)));
      continue;
    }
    const float rounded = std::bit_cast<float>(std::uint32_t{ToBfloat16(number)} << 16);
    if (std::isinf(rounded)) {
      ASSERT_GE(std::fabs(number), 0x1.ffp127F);
      continue;
    }
    // Both neighbors are at least as far away.
    const auto bits = ToBfloat16(number);
    for (const int step : {-1, 1}) {
      const auto other = static_cast<std::uint16_t>(bits + step);
      const double neighbour = std::bit_cast<float>(std::uint32_t{other} << 16);
      if (std::isnan(neighbour) || std::isinf(neighbour)) continue;
      ASSERT_LE(std::fabs(static_cast<double>(number) - rounded),
                std::fabs(static_cast<double>(number) - neighbour))
          << number;
    }
  }
}

}  // namespace
}  // namespace opledger
