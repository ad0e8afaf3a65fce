// The loops over rows yield the results of the scalar functions with every instruction set of this
// machine, for ordinary and special values.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/arithmetic/loops/loops.h"

namespace opledger {
namespace {

TEST(RowLoops, PowersHaveTheBitsOfPow) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> x;
  for (int i = 0; i < 700; ++i) x.push_back(std::ldexp(1.0F + 0.0013F * i, i % 40 - 20));
  x.insert(x.end(), {1, 0x1p-140F, kInfinity});  // a block of positive values only
  x.resize(768, 1.5F);
  x.insert(x.end(), {0, -0.0F, -1, -2.5F, -3, -kInfinity, std::nanf(""), 2, 0.5F});
  for (const auto set :
       {VectorInstructions::kPortable, VectorInstructions::kAvx2, VectorInstructions::kAvx512}) {
    if (!Runs(set)) continue;
    for (const float exponent :
         {0.75F, 0.5F, 2.0F, 3.0F, -1.25F, 0.0F, kInfinity, -kInfinity, std::nanf("")}) {
      std::vector<float> out(x.size());
      arithmetic::LoopsOf(set).rows.power(x.data(), exponent, out.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float want = arithmetic::Pow(x[i], exponent);
        if (std::isnan(want)) {
          ASSERT_TRUE(std::isnan(out[i])) << x[i] << " ^ " << exponent;
        } else {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(want))
              << x[i] << " ^ " << exponent << " by " << VectorInstructionsName(set);
        }
      }
    }
  }
}

}  // namespace
}  // namespace opledger
