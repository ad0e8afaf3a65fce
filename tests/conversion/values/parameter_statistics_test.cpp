// Statistics of a parameter's elements, and the limits of float16 and bfloat16.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/values/parameter_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace opledger {
namespace {

ParameterStatistics Of(const std::vector<float>& numbers, Dtype target) {
  ParameterStatistics statistics;
  statistics.Add(reinterpret_cast<const char*>(numbers.data()), numbers.size(), target);
  return statistics;
}

TEST(ParameterStatisticsTest, CountsWhatBecomesInfinite) {
  const auto numbers =
      Of({65504, 65519.996F, 65520, -70000, INFINITY, NAN, -INFINITY, 0}, Dtype::kFloat16);
  EXPECT_EQ(numbers.count, 8u);
  EXPECT_EQ(numbers.overflowing, 2u);
  EXPECT_TRUE(numbers.overflows_above);
  EXPECT_TRUE(numbers.overflows_below);
  EXPECT_EQ(numbers.max_magnitude, 70000);
  EXPECT_EQ(numbers.min, -70000);
  EXPECT_EQ(Of({-3.4028234e38F}, Dtype::kBfloat16).overflowing, 1u);
  EXPECT_EQ(Of({-3.3e38F}, Dtype::kBfloat16).overflowing, 0u);
}

// The vectorized loop (eight at a time) and the scalar rest agree.
TEST(ParameterStatisticsTest, FindsNumbersAtEveryPlace) {
  for (std::size_t at = 0; at < 19; ++at) {
    std::vector<float> numbers(19, 1);
    numbers[at] = -66000;
    const auto found = Of(numbers, Dtype::kFloat16);
    EXPECT_EQ(found.overflowing, 1u) << at;
    EXPECT_EQ(found.min, -66000) << at;
    EXPECT_EQ(found.max_magnitude, 66000) << at;
    EXPECT_FALSE(found.overflows_above) << at;
    numbers[at] = at % 2 == 0 ? NAN : -INFINITY;
    EXPECT_EQ(Of(numbers, Dtype::kFloat16).max_magnitude, 1) << at;
    EXPECT_EQ(Of(numbers, Dtype::kFloat16).overflowing, 0u) << at;
  }
}

TEST(ParameterStatisticsTest, AddsPieces) {
  ParameterStatistics statistics = Of({1, 2, -5}, Dtype::kFloat16);
  const float more[] = {-7, 1e5F};
  statistics.Add(reinterpret_cast<const char*>(more), 2, Dtype::kFloat16);
  EXPECT_EQ(statistics.count, 5u);
  EXPECT_EQ(statistics.min, -7);
  EXPECT_FALSE(statistics.overflows_below);
  EXPECT_TRUE(statistics.overflows_above);
  EXPECT_EQ(Of({}, Dtype::kFloat16).max_magnitude, 0);
}

}  // namespace
}  // namespace opledger
