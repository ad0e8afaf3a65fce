// Matches rows by content: each once, the closest first, in any type and along any dimension; large
// inputs take less than quadratic time.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/matched_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace opledger {
namespace {

template <typename T>
ConstantTensor RowTensor(Dtype dtype, Dimensions dimensions, const std::vector<T>& numbers) {
  ConstantTensor tensor({dtype, std::move(dimensions)});
  EXPECT_EQ(Elements(tensor.type.dimensions), numbers.size());
  if (!numbers.empty()) std::copy(numbers.begin(), numbers.end(), tensor.As<T>());
  return tensor;
}

ConstantTensor Singles(Dimensions dimensions, const std::vector<float>& numbers) {
  return RowTensor(Dtype::kFloat32, std::move(dimensions), numbers);
}

ConstantTensor Doubles(Dimensions dimensions, const std::vector<double>& numbers) {
  return RowTensor(Dtype::kFloat64, std::move(dimensions), numbers);
}

ConstantTensor WholeNumbers(Dimensions dimensions, const std::vector<std::int64_t>& numbers) {
  return RowTensor(Dtype::kInt64, std::move(dimensions), numbers);
}

TensorError MatchRows(const ConstantTensor& exact, const ConstantTensor& other) {
  return ErrorByContent(other.type, other.data.get(), exact);
}

// Returns "matched missing added".
std::string RowsIn(const TensorError& error) {
  if (!error.rows) return "as many";
  return std::to_string(error.rows->matched) + " " + std::to_string(error.rows->missing) + " " +
         std::to_string(error.rows->added) + (error.rows->is_numbers ? " numbers" : "");
}

TEST(MatchedRows, EqualShapesAreComparedInPlace) {
  const TensorError error = MatchRows(Doubles({2}, {1, 2}), Singles({2}, {2, 1}));
  EXPECT_EQ(RowsIn(error), "as many");
  EXPECT_EQ(error.absolute, 1);
}

TEST(MatchedRows, OfIntegersEqualOnes) {
  const TensorError error = MatchRows(WholeNumbers({4, 2}, {0, 1, 0, 2, 0, 3, 0, 3}),
                                      WholeNumbers({3, 2}, {0, 3, 0, 4, 0, 1}));
  EXPECT_EQ(RowsIn(error), "2 2 1");
  EXPECT_EQ(error.unequal, 0U);
  EXPECT_TRUE(std::isinf(Weight(error)));
}

TEST(MatchedRows, OfFloatsTheClosestFirst) {
  // 1.04 is nearer to 1.05 than to 1, which 1.01 takes.
  const TensorError error =
      MatchRows(Doubles({3}, {1, 1.04, 7}), Singles({4}, {1.05F, 1.01F, 3, 7}));
  EXPECT_EQ(RowsIn(error), "3 0 1");
  EXPECT_NEAR(error.absolute, 0.01, 1e-6);
}

TEST(MatchedRows, DistantRowsDoNotMatch) {
  // A sixteenth of 16 is 1.
  EXPECT_EQ(RowsIn(MatchRows(Doubles({2}, {16, 3}), Singles({3}, {15.5F, 4.5F, 1.5F}))), "1 1 2");
}

TEST(MatchedRows, EachRowOnce) {
  const TensorError error = MatchRows(Doubles({5}, {0, 0, 0, 2, 2}), Singles({4}, {0, 0, 2, 2}));
  EXPECT_EQ(RowsIn(error), "4 1 0");
  EXPECT_EQ(error.absolute, 0);
}

TEST(MatchedRows, AlongTheDimensionThatDiffers) {
  // Columns (1,4) (2,5) (3,6), compared with (3,6) (1,4).
  EXPECT_EQ(RowsIn(MatchRows(WholeNumbers({2, 3}, {1, 2, 3, 4, 5, 6}),
                             WholeNumbers({2, 2}, {3, 1, 6, 4}))),
            "2 1 0");
  EXPECT_EQ(RowsIn(MatchRows(Doubles({1, 2, 2}, {1, 2, 3, 4}), Singles({1, 1, 2}, {3, 4}))),
            "1 1 0");
}

TEST(MatchedRows, NumbersWhereSeveralDimensionsDiffer) {
  const TensorError error = MatchRows(Doubles({2, 2}, {1, 2, 3, 4}), Singles({1, 3}, {4, 1, 9}));
  EXPECT_EQ(RowsIn(error), "2 2 1 numbers");
}

TEST(MatchedRows, None) {
  EXPECT_EQ(RowsIn(MatchRows(Doubles({0, 3}, {}), Singles({1, 3}, {1, 2, 3}))), "0 0 1");
  EXPECT_EQ(RowsIn(MatchRows(Doubles({1, 3}, {1, 2, 3}), Singles({0, 3}, {}))), "0 1 0");
  EXPECT_EQ(RowsIn(MatchRows(WholeNumbers({0}, {}), WholeNumbers({2}, {1, 2}))), "0 0 2");
}

TEST(MatchedRows, InfinitiesMatchThemselves) {
  const float infinity = std::numeric_limits<float>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TensorError error = MatchRows(Doubles({3, 2}, {infinity, 1, nan, 2, 3, 3}),
                                      Singles({4, 2}, {NAN, 2, infinity, 1, 3, 3, -infinity, 3}));
  EXPECT_EQ(RowsIn(error), "3 0 1");
  EXPECT_EQ(error.not_finite, 1U);
}

TEST(MatchedRows, OnlyTensorsOfOneRank) {
  EXPECT_TRUE(CanMatch({2, 3}, {2, 3}));
  EXPECT_TRUE(CanMatch({2, 3}, {2, 4}));
  EXPECT_FALSE(CanMatch({2, 3}, {3, 2}));
  EXPECT_FALSE(CanMatch({2, 3}, {6}));
}

// A hundred thousand rows, every tenth of which is missing.
TEST(MatchedRows, OfMany) {
  constexpr std::size_t kRows = 100'000;
  std::vector<double> exact;
  std::vector<float> other;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double number = std::sin(static_cast<double>(i));
    for (const double each : {number, number * number}) {
      exact.push_back(each);
      if (i % 10 != 0) other.push_back(static_cast<float>(each));
    }
  }
  const TensorError error =
      MatchRows(Doubles({kRows, 2}, exact), Singles({kRows * 9 / 10, 2}, other));
  EXPECT_EQ(RowsIn(error), "90000 10000 0");
  EXPECT_LT(error.absolute, 1e-6);
}

}  // namespace
}  // namespace opledger
