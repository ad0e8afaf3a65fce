// Element-wise functions over arrays: equal the scalar functions bit for bit with every instruction
// set, at every length and in place, and keep their error bounds on a sample (ulp_error.cpp
// measures all arguments).
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/arithmetic/loops/loops.h"
#include "tests/kernels/arithmetic/exact_functions.h"

namespace opledger::arithmetic {
namespace {

constexpr VectorInstructions kSets[] = {VectorInstructions::kPortable, VectorInstructions::kAvx2,
                                        VectorInstructions::kAvx512};

std::vector<Unary> Functions() {
  std::vector<Unary> functions;
#define OPLEDGER_ENTRY(name, ulp) functions.push_back(Unary::k##name);
  OPLEDGER_UNARY_LIST(OPLEDGER_ENTRY)
#undef OPLEDGER_ENTRY
  return functions;
}

// The scalar function as compiled for this file.
float Scalar(Unary function, float x) {
  switch (function) {
#define OPLEDGER_CASE(name, ulp) \
  case Unary::k##name:           \
    return name(x);
    OPLEDGER_UNARY_LIST(OPLEDGER_CASE)
#undef OPLEDGER_CASE
  }
  return 0;
}

// Returns every exponent with some mantissas and both signs, including all limits, and values of
// usual magnitude.
std::vector<float> Arguments() {
  std::vector<float> arguments;
  for (std::uint32_t high = 0; high < 512; ++high) {
    for (const std::uint32_t low :
         {0U, 1U, 0x155555U, 0x3504f3U, 0x3504f4U, 0x490fdbU, 0x7fffffU}) {
      arguments.push_back(std::bit_cast<float>(high << 23 | low));
    }
  }
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 450001) {
    arguments.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  for (int i = -4000; i < 4000; ++i) arguments.push_back(static_cast<float>(i) * 0.0317F);
  for (int i = -500; i < 500; ++i) arguments.push_back(static_cast<float>(i) * 0.5F);
  return arguments;
}

// Returns the bits, with one pattern for all NaNs.
std::uint32_t Canonical(float x) { return x != x ? 0x7fc00000U : Bits(x); }

TEST(UnaryTest, EveryInstructionSetGivesTheScalarBits) {
  const std::vector<float> in = Arguments();
  std::vector<float> out(in.size());
  for (const Unary function : Functions()) {
    for (const VectorInstructions set : kSets) {
      if (!Runs(set)) continue;
      LoopsOf(set).unary[static_cast<std::size_t>(function)](in.data(), out.data(), in.size());
      for (std::size_t i = 0; i < in.size(); ++i) {
        ASSERT_EQ(Canonical(out[i]), Canonical(Scalar(function, in[i])))
            << UnaryName(function) << " by " << VectorInstructionsName(set) << " of " << in[i]
            << ": " << out[i] << ", not " << Scalar(function, in[i]);
      }
    }
  }
}

// Hashes measured once: detects a compiler, flag or processor that changes a bit.
TEST(UnaryTest, BitsAreThoseOfEveryOtherMachine) {
  const std::vector<float> in = Arguments();
  std::vector<float> out(in.size());
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const Unary function : Functions()) {
    Apply(function, in.data(), out.data(), in.size());
    for (const float result : out) hash = (hash ^ Canonical(result)) * 0x100000001b3U;
  }
  EXPECT_EQ(hash, 5354637139280821739U) << "change it only together with a function";
}

TEST(UnaryTest, ErrorsStayWithinTheBounds) {
  const std::vector<float> in = Arguments();
  std::vector<float> out(in.size());
  for (const Unary function : Functions()) {
    Apply(function, in.data(), out.data(), in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double exact = Exact<double>(function, in[i]);
      ASSERT_LE(UlpError<double>(out[i], exact), UlpBound(function) + 1e-6)
          << UnaryName(function) << " of " << in[i] << ": " << out[i] << ", not " << exact;
    }
  }
}

TEST(UnaryTest, EveryLengthInPlaceAndNothingBeyond) {
  std::vector<float> in(600);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) * 0.01F - 2;
  in[77] = 1e20F;  // an angle that needs integer reduction
  for (const Unary function : {Unary::kExp, Unary::kSin, Unary::kFloor}) {
    for (const VectorInstructions set : kSets) {
      if (!Runs(set)) continue;
      for (std::size_t n = 0; n < 300; n = n < 70 ? n + 1 : n + 37) {
        std::vector<float> array(in.begin() + 1, in.end());
        LoopsOf(set).unary[static_cast<std::size_t>(function)](array.data(), array.data(), n);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(Bits(array[i]), Bits(Scalar(function, in[i + 1]))) << n << " " << i;
        }
        for (std::size_t i = n; i < array.size(); ++i) ASSERT_EQ(array[i], in[i + 1]) << n;
      }
    }
  }
}

TEST(UnaryTest, NamesAreThoseOfTheFunctions) {
  EXPECT_EQ(std::string(UnaryName(Unary::kGeluTanh)), "GeluTanh");
  EXPECT_EQ(UlpBound(Unary::kAbs), 0);
}

}  // namespace
}  // namespace opledger::arithmetic
