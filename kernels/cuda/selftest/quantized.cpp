// Checks quantization and dequantization bit by bit, for all cases of rounding and all kinds of
// scales.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/cuda/selftest/selftest.h"

namespace opledger::cuda::selftest {
namespace {

// How scales apply to elements.
struct Scales {
  const char* name;
  std::int64_t outer;
  std::int64_t length;
  std::int64_t inner;
  std::int64_t block;
  std::int64_t outer_step;
  std::int64_t axis_step;
  std::int64_t inner_step;
  std::int64_t count;

  std::int64_t Elements() const { return outer * length * inner; }
  std::size_t Of(std::int64_t at) const {
    const std::int64_t a = at / inner % length;
    return static_cast<std::size_t>(at / inner / length * outer_step + a / block * axis_step +
                                    at % inner * inner_step);
  }
};
constexpr Scales kScales[] = {{"one scale", 1, 1, 1003, 1, 0, 0, 0, 1},
                              {"scales of an axis", 3, 7, 50, 1, 0, 1, 0, 7},
                              {"scales of blocks", 2, 9, 20, 4, 60, 20, 1, 120}};

QuantizeCall CallOf(const Scales& scales, ElementType type, ElementType quantized) {
  QuantizeCall call = {};
  call.type = type;
  call.scale_type = type;
  call.quantized = quantized;
  call.outer = scales.outer;
  call.length = scales.length;
  call.inner = scales.inner;
  call.block = scales.block;
  call.outer_step = scales.outer_step;
  call.axis_step = scales.axis_step;
  call.inner_step = scales.inner_step;
  return call;
}

template <typename Q>
std::vector<Q> RandomIntegers(Session& session, std::int64_t count) {
  std::vector<Q> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<Q>(session.Random()));
  return numbers;
}

std::vector<float> RandomScales(Session& session, ElementType type, std::int64_t count) {
  std::vector<float> scales;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto steps = static_cast<float>(1 + session.Random() % 200);
    scales.push_back(Rounded(type, steps / 1000));
  }
  return scales;
}

template <typename Q>
Q Saturated(float rounded) {
  using Limits = std::numeric_limits<Q>;
  if (!(rounded > static_cast<float>(Limits::lowest()))) return Limits::lowest();
  return rounded < static_cast<float>(Limits::max()) ? static_cast<Q>(rounded) : Limits::max();
}

template <typename Q>
std::vector<float> AsFloats(const std::vector<Q>& numbers) {
  return std::vector<float>(numbers.begin(), numbers.end());
}

template <typename Q>
void CheckQuantize(Session& session, const Scales& scales, ElementType type, ElementType quantized,
                   bool has_zero) {
  const auto scale = RandomScales(session, type, scales.count);
  const auto zero = RandomIntegers<Q>(session, scales.count);
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < scales.Elements(); ++i) {
    const float s = scale[scales.Of(i)];
    const float kinds[] = {session.RandomNormal() * 40 * s, (static_cast<float>(i % 21) + 0.5F) * s,
                           session.RandomNormal() * 1e6F, arithmetic::kInfinity, arithmetic::kNan};
    numbers.push_back(Rounded(type, kinds[i % 101 > 4 ? i % 3 : i % 101]));
  }
  const Buffer in(session, Stored(type, numbers));
  const Buffer by(session, Stored(type, scale));
  const Buffer zeros(session, zero);
  const Buffer out(session, numbers.size() * sizeof(Q));
  QuantizeCall call = CallOf(scales, type, quantized);
  call.in = in.data();
  call.scale = by.data();
  call.zero = has_zero ? zeros.data() : nullptr;
  call.out = out.data();
  session.Must(session.module->quantize(&call));
  std::vector<Q> expected;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t at = scales.Of(static_cast<std::int64_t>(i));
    const float off = has_zero ? static_cast<float>(zero[at]) : 0;
    expected.push_back(Saturated<Q>(arithmetic::RoundHalfEven(numbers[i] / scale[at]) + off));
  }
  CompareBits(session,
              std::string("quantize ") + NameOf(type) + " to type " + std::to_string(quantized) +
                  ", " + scales.name,
              AsFloats(out.Read<Q>(expected.size())), AsFloats(expected));
}

template <typename Q>
void CheckDequantize(Session& session, const Scales& scales, ElementType type,
                     ElementType quantized, bool has_zero) {
  const auto scale = RandomScales(session, type, scales.count);
  const auto zero = RandomIntegers<Q>(session, scales.count);
  const auto numbers = RandomIntegers<Q>(session, scales.Elements());
  const Buffer in(session, numbers);
  const Buffer by(session, Stored(type, scale));
  const Buffer zeros(session, zero);
  const Buffer out(session, numbers.size() * SizeOf(type));
  QuantizeCall call = CallOf(scales, type, quantized);
  call.in = in.data();
  call.scale = by.data();
  call.zero = has_zero ? zeros.data() : nullptr;
  call.out = out.data();
  session.Must(session.module->dequantize(&call));
  std::vector<float> expected;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t at = scales.Of(static_cast<std::int64_t>(i));
    const std::int64_t off = std::int64_t{numbers[i]} - (has_zero ? std::int64_t{zero[at]} : 0);
    expected.push_back(Rounded(type, static_cast<float>(off) * scale[at]));
  }
  CompareBits(session,
              std::string("dequantize type ") + std::to_string(quantized) + " to " + NameOf(type) +
                  ", " + scales.name,
              Loaded(type, out.Read<std::byte>(numbers.size() * SizeOf(type))), expected);
}

template <typename Q>
void CheckBoth(Session& session, const Scales& scales, ElementType type, ElementType quantized) {
  for (const bool has_zero : {false, true}) {
    CheckQuantize<Q>(session, scales, type, quantized, has_zero);
    CheckDequantize<Q>(session, scales, type, quantized, has_zero);
  }
}

}  // namespace

void CheckQuantized(Session& session) {
  for (const ElementType type : kTypes) {
    for (const Scales& scales : kScales) {
      CheckBoth<std::uint8_t>(session, scales, type, kU8);
      CheckBoth<std::int8_t>(session, scales, type, kI8);
      CheckBoth<std::uint16_t>(session, scales, type, kU16);
      CheckBoth<std::int16_t>(session, scales, type, kI16);
      CheckDequantize<std::int32_t>(session, scales, type, kI32, false);
    }
  }
}

}  // namespace opledger::cuda::selftest
