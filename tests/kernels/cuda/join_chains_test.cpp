// Launches of joined element-wise chains on a GPU. (kernels/cuda tests that the bits stay the
// same.)
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/cuda/chain/chain.h"

namespace opledger::cuda {
namespace {

constexpr std::size_t kInputs = 2;

TensorType Type(Dtype dtype, Dimensions dimensions = {4, 3}) { return {dtype, dimensions}; }

// Input 0, then one step that may read input 1.
ChainProgram Program(ChainCode code, Dtype dtype = Dtype::kFloat32, Dimensions of_1 = {4, 3}) {
  ChainProgram program(dtype, {4, 3});
  program.AddInput(0, Type(dtype));
  program.Step(code, ReadsOperand(code) ? program.AddInput(1, Type(dtype, of_1)) : std::uint8_t{0});
  return program;
}

std::vector<int> Codes(const ChainProgram& program) {
  std::vector<int> codes;
  for (int i = 0; i < program.chain().steps; ++i) codes.push_back(program.chain().step[i].code);
  return codes;
}

std::optional<ChainProgram> Reduced(const ChainProgram& first, const ChainProgram& second,
                                    const std::vector<bool>& results) {
  return first.Then(second, kInputs,
                    [&](std::size_t i) { return i < results.size() && results[i]; });
}

TEST(JoinChainsTest, StepsFollowEachOther) {
  const auto joined = Reduced(Program(kAdd), Program(kMul, Dtype::kFloat32, {3}), {true, false});
  ASSERT_TRUE(joined);
  EXPECT_EQ(Codes(*joined), (std::vector<int>{kAdd, kMul}));
  EXPECT_EQ(joined->chain().operands, 3);
  EXPECT_EQ(joined->chain().step[1].operand, 2);
  EXPECT_EQ(joined->chain().operand[2].place, kPeriodic);
}

TEST(JoinChainsTest, RoundsAsStoringWould) {
  const auto half = Reduced(Program(kUnaryExp, Dtype::kFloat16), Program(kUnaryRelu), {true});
  ASSERT_TRUE(half);
  EXPECT_EQ(Codes(*half), (std::vector<int>{kUnaryExp, kRoundFloat16, kUnaryRelu}));
  EXPECT_EQ(half->chain().out_type, kF32);
  const auto brain = Reduced(Program(kUnaryExp, Dtype::kBfloat16), Program(kUnaryRelu), {true});
  ASSERT_TRUE(brain);
  EXPECT_EQ(Codes(*brain), (std::vector<int>{kUnaryExp, kRoundBfloat16, kUnaryRelu}));
}

TEST(JoinChainsTest, ExchangesTheSidesOfAStep) {
  const std::pair<ChainCode, ChainCode> exchanged[] = {
      {kSub, kSubFrom}, {kDiv, kDivInto}, {kMul, kMul}, {kLess, kGreater}};
  for (const auto& [code, other] : exchanged) {
    const auto joined = Reduced(Program(kUnaryExp), Program(code), {false, true});
    ASSERT_TRUE(joined);
    EXPECT_EQ(Codes(*joined), (std::vector<int>{kUnaryExp, other}));
    EXPECT_EQ(joined->chain().operands, 2);
  }
  EXPECT_FALSE(Reduced(Program(kUnaryExp), Program(kPow), {false, true}));
}

TEST(JoinChainsTest, ReadsAResultTwice) {
  const auto joined = Reduced(Program(kUnaryExp), Program(kMul), {true, true});
  ASSERT_TRUE(joined);
  EXPECT_EQ(Codes(*joined), (std::vector<int>{kUnaryExp, kSave, kMul}));
  EXPECT_EQ(joined->chain().step[2].operand, kSaved);
  EXPECT_EQ(joined->chain().operands, 1);
}

TEST(JoinChainsTest, RefusesWhatAChainCannotHold) {
  ChainProgram other(Dtype::kFloat32, {4, 4});
  other.AddInput(0, Type(Dtype::kFloat32, {4, 4}));
  EXPECT_FALSE(Reduced(Program(kUnaryExp), other, {true})) << "another shape";
  EXPECT_FALSE(Reduced(Program(kLess, Dtype::kBool), Program(kUnaryExp), {true})) << "truth values";
  ChainProgram longest = Program(kUnaryExp);
  for (int i = 1; i < kMaxSteps; ++i) longest.Step(kUnaryExp);
  EXPECT_TRUE(longest.status().ok());
  EXPECT_FALSE(Reduced(longest, Program(kUnaryExp), {true})) << "too many steps";
}

}  // namespace
}  // namespace opledger::cuda
