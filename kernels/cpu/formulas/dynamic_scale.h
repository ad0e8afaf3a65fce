// Rounds values to 8 bits with a scale computed from their range, which is extended to include 0.
// https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/cpu/formulas/formulas.h"

namespace opledger {

// Clamps a rounded value to the range of an integer type; NaN gives the lowest value.
template <typename Q, typename V>
Q Saturated(V rounded) {
  constexpr auto kLow = static_cast<V>(std::numeric_limits<Q>::lowest());
  constexpr auto kHigh = static_cast<V>(std::numeric_limits<Q>::max());
  if (!(rounded > kLow)) return std::numeric_limits<Q>::lowest();
  return rounded < kHigh ? static_cast<Q>(rounded) : std::numeric_limits<Q>::max();
}

template <typename V>
struct DynamicScale {
  V low = 0;
  V high = 0;

  void Add(V x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  V Scale() const { return low == high ? V(1) : (high - low) / V(255); }
  std::uint8_t Zero() const { return Saturated<std::uint8_t>(function::RoundEven(-low / Scale())); }
};

// Quantizes and dequantizes each element.
template <typename V>
void RoundToDynamicScale(V* numbers, std::size_t count) {
  DynamicScale<V> range;
  std::for_each(numbers, numbers + count, [&](V x) { range.Add(x); });
  const V scale = range.Scale();
  const V zero = range.Zero();
  std::transform(numbers, numbers + count, numbers, [&](V x) {
    return (V(Saturated<std::uint8_t>(function::RoundEven(x / scale) + zero)) - zero) * scale;
  });
}

}  // namespace opledger
