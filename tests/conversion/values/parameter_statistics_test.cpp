// Statistics of a parameter's elements.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/values/parameter_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace opledger {
namespace {

ParameterStatistics Of(const std::vector<float>& numbers) {
  ParameterStatistics statistics;
  statistics.Add(reinterpret_cast<const char*>(numbers.data()), numbers.size());
  return statistics;
}

TEST(ParameterStatisticsTest, IgnoresInfinityAndNanInExtremes) {
  const auto numbers = Of({65504, -70000, INFINITY, NAN, -INFINITY, 0, 0.25F});
  EXPECT_EQ(numbers.count, 7u);
  EXPECT_EQ(numbers.max_magnitude, 70000);
  EXPECT_EQ(numbers.min_magnitude, 0.25F);
  EXPECT_EQ(numbers.min, -70000);
  EXPECT_EQ(numbers.max, 65504);
  EXPECT_TRUE(numbers.zero);
  EXPECT_TRUE(numbers.infinite);
  EXPECT_TRUE(numbers.nan);
}

// The vectorized loop (eight at a time) and the scalar rest agree.
TEST(ParameterStatisticsTest, FindsNumbersAtEveryPlace) {
  for (std::size_t at = 0; at < 19; ++at) {
    std::vector<float> numbers(19, 1);
    numbers[at] = -66000;
    const auto found = Of(numbers);
    EXPECT_EQ(found.min, -66000) << at;
    EXPECT_EQ(found.max_magnitude, 66000) << at;
    EXPECT_EQ(found.min_magnitude, 1) << at;
    EXPECT_FALSE(found.infinite) << at;
    numbers[at] = at % 2 == 0 ? NAN : -INFINITY;
    EXPECT_EQ(Of(numbers).max_magnitude, 1) << at;
    EXPECT_EQ(Of(numbers).nan, at % 2 == 0) << at;
    EXPECT_TRUE(Of(numbers).infinite) << at;
  }
}

TEST(ParameterStatisticsTest, AddsPieces) {
  ParameterStatistics statistics = Of({1, 2, -5});
  const float more[] = {-7, 1e5F};
  statistics.Add(reinterpret_cast<const char*>(more), 2);
  EXPECT_EQ(statistics.count, 5u);
  EXPECT_EQ(statistics.min, -7);
  EXPECT_EQ(statistics.max, 1e5F);
  EXPECT_FALSE(statistics.zero);
  EXPECT_EQ(Of({}).max_magnitude, 0);
}

}  // namespace
}  // namespace opledger
