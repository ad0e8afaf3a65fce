// Casts to 16 bits round once, including from types that float32 cannot represent exactly: values
// slightly above the midpoint of two 16-bit values round up, although float32 would round them to
// the midpoint first.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/kernel/kernel.h"

namespace opledger {
namespace {

template <typename From>
std::uint16_t CastTo16Bits(Dtype from, const char* to, From number) {
  Call call;
  call.inputs = {TensorType{from, {1}}};
  call.constants = {nullptr};
  call.parameters.Set("to", to);
  const ChosenKernel chosen = ChooseKernel("Cast", call, {true});
  EXPECT_NE(chosen.entry, nullptr) << chosen.prepared.refusal.message;
  std::uint16_t bits = 0;
  const void* inputs[] = {&number};
  void* outputs[] = {&bits};
  chosen.prepared.run(inputs, outputs, nullptr);
  return bits;
}

TEST(CastTest, RoundsFloat64Once) {
  const auto float16 = [](double x) { return CastTo16Bits(Dtype::kFloat64, "float16", x); };
  const auto bfloat16 = [](double x) { return CastTo16Bits(Dtype::kFloat64, "bfloat16", x); };
  EXPECT_EQ(float16(1 + 0x1p-11), 0x3c00);  // a tie
  EXPECT_EQ(float16(1 + 0x1p-11 + 0x1p-40), 0x3c01);
  EXPECT_EQ(float16(-1 - 0x1p-11 - 0x1p-40), 0xbc01);
  EXPECT_EQ(float16(1 + 3 * 0x1p-11 - 0x1p-40), 0x3c01);
  EXPECT_EQ(float16(0x1p-25), 0);
  EXPECT_EQ(float16(0x1p-25 + 0x1p-60), 1);  // subnormal
  EXPECT_EQ(float16(1e-300), 0);
  EXPECT_EQ(float16(-1e-300), 0x8000);
  EXPECT_EQ(float16(65520), 0x7c00);
  EXPECT_EQ(float16(65520 - 0x1p-30), 0x7bff);
  EXPECT_EQ(float16(1e300), 0x7c00);
  EXPECT_EQ(bfloat16(1 + 0x1p-8), 0x3f80);
  EXPECT_EQ(bfloat16(1 + 0x1p-8 + 0x1p-40), 0x3f81);
  EXPECT_EQ(bfloat16(1e300), 0x7f80);
  EXPECT_EQ(bfloat16(1e-300), 0);
}

TEST(CastTest, RoundsIntegersOnce) {
  const std::int64_t size = (std::int64_t{1} << 40) + (std::int64_t{1} << 32);
  EXPECT_EQ(CastTo16Bits(Dtype::kInt64, "bfloat16", size), 0x5380);  // a tie
  EXPECT_EQ(CastTo16Bits(Dtype::kInt64, "bfloat16", size + 1), 0x5381);
  EXPECT_EQ(CastTo16Bits(Dtype::kInt64, "bfloat16", -size - 1), 0xd381);
  EXPECT_EQ(CastTo16Bits(Dtype::kInt32, "bfloat16", (1 << 30) + (1 << 22) + 1), 0x4e81);
  const std::uint64_t large = (std::uint64_t{1} << 63) + (std::uint64_t{1} << 55);
  EXPECT_EQ(CastTo16Bits(Dtype::kUint64, "bfloat16", large), 0x5f00);  // a tie
  EXPECT_EQ(CastTo16Bits(Dtype::kUint64, "bfloat16", large + 1), 0x5f01);
}

}  // namespace
}  // namespace opledger
