// Casts of arrays against the casts of one number, at every length and alignment.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/cast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "conversion/model/half.h"

namespace opledger::arithmetic {
namespace {

TEST(CastTest, AllFiniteLooksAtEveryElement) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16}) {
    const std::size_t n = 3001;
    std::vector<float> numbers(n, -3.5F);
    std::vector<char> bytes(4 * n);
    for (const float bad : {INFINITY, -INFINITY, NAN}) {
      for (const std::size_t at : {std::size_t{0}, std::size_t{1023}, std::size_t{2048}, n - 1}) {
        Narrow(numbers.data(), dtype, bytes.data(), n);
        EXPECT_TRUE(AllFinite(dtype, bytes.data(), n));
        numbers[at] = bad;
        Narrow(numbers.data(), dtype, bytes.data(), n);
        EXPECT_FALSE(AllFinite(dtype, bytes.data(), n)) << DtypeName(dtype) << " " << at;
        EXPECT_TRUE(AllFinite(dtype, bytes.data(), at));
        numbers[at] = -3.5F;
      }
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
}

}  // namespace
}  // namespace opledger::arithmetic
