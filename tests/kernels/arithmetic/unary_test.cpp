// Element-wise functions over arrays.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/unary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "kernels/arithmetic/elementary.h"

namespace opledger::arithmetic {
namespace {

TEST(UnaryTest, AppliesInPlace) {
  float numbers[] = {0, 1, -1, INFINITY, -INFINITY};
  Apply(Unary::kExp, numbers, numbers, 5);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[1], Exp(1));
  EXPECT_EQ(numbers[3], INFINITY);
  EXPECT_EQ(numbers[4], 0);
  EXPECT_EQ(std::string(UnaryName(Unary::kGeluTanh)), "GeluTanh");
}

}  // namespace
}  // namespace opledger::arithmetic
