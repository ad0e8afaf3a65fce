// Draws random ranges, and random float32 values of a range: its ends, their neighbors and those of
// the gap around zero, zero, subnormal values, values that overflow, infinity and NaN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "conversion/model/ranges/ranges.h"

namespace opledger {

// Evaluations of each function, and how many share the same ranges.
inline constexpr int kEvaluations = 100'000;
inline constexpr int kNumbers = 10;

class RangeDraws {
 public:
  explicit RangeDraws(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Bits() {  // splitmix64
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t bits = state_;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebU;
    return bits ^ bits >> 31;
  }
  std::uint64_t Below(std::uint64_t count) { return Bits() % count; }
  double Part() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }  // uniform in [0, 1)
  bool Chance(double probability) { return Part() < probability; }

  // A finite float32 value of either sign.
  double Mark() {
    constexpr double kMarks[] = {
        0,    1.4e-45, 1e-42,  0x1p-126,      1e-30, 1e-12, 0x1p-25, 0x1p-24,  0x1p-14, 1e-3,
        0.1,  0.5,     1,      1.5,           2,     3,     7,       11.09,    88.72,   89,
        103,  255,     256,    2049,          65504, 65520, 0x1p24,  16777218, 1e9,     1e19,
        1e20, 1e30,    1.8e38, 0x1.fffffep127};
    double mark = kMarks[Below(std::size(kMarks))];
    if (Chance(0.3)) mark = std::ldexp(1 + Part(), static_cast<int>(Below(253)) - 126);
    if (Chance(0.3)) mark = Part() * 4;
    return static_cast<double>(static_cast<float>(Chance(0.5) ? mark : -mark));
  }

  Range Finite() {
    double low = Mark();
    double high = Chance(0.2) ? low : Chance(0.2) ? 0 : Chance(0.2) ? -low : Mark();
    if (Chance(0.1)) high = std::nextafter(static_cast<float>(low), 3e38F);
    if (low > high) std::swap(low, high);
    Range range = Range::Between(low, high);
    if (Chance(0.15)) range = Range::Integers(std::floor(low), std::floor(high));
    if (Chance(0.15) && low < 0 && high > 0) {
      range.gap = std::abs(Mark());
      range.zero = Chance(0.5);
      range = Tightened(range);
    }
    return range.IsEmpty() ? Range::Point(low) : range;
  }

  Range Any() {
    if (Chance(0.02)) return Range::Nothing();
    Range range = Finite();
    if (Chance(0.06)) range.low = -kInfinite;
    if (Chance(0.06)) range.high = kInfinite;
    if (Chance(0.02)) range = Range::Between(kInfinite, kInfinite);
    if (Chance(0.02)) range = Range::Between(-kInfinite, -kInfinite);
    if (Chance(0.02)) range = Range();
    range.nan = range.nan || Chance(0.1);
    return Tightened(range);
  }

  // A value in the range, which must not be empty.
  float In(const Range& range) {
    if (range.IsEmpty() || (range.nan && Chance(0.2))) return NAN;
    for (int i = 0; i < 16; ++i) {
      const auto number = static_cast<float>(Candidate(range));
      if (range.Contains(static_cast<double>(number))) return number;
    }
    return static_cast<float>(range.Contains(range.low) ? range.low : range.high);
  }

 private:
  double Candidate(const Range& range) {
    const double most = LargestOf(Dtype::kFloat32);
    const double low = std::max(range.low, -most);
    const double high = std::min(range.high, most);
    double number = 0;
    switch (Below(8)) {
      case 0:
        return range.low;
      case 1:
        return range.high;
      case 2:
        return Chance(0.5) ? range.gap : -range.gap;
      case 3:
        return Chance(0.5) ? 0.0 : -0.0;
      case 4:
        number = Mark();
        break;
      case 5:
        return static_cast<double>(std::nextafter(static_cast<float>(low), 0.0F));
      default:
        number = low + (high - low) * Part();
        break;
    }
    return range.integer ? std::nearbyint(number) : number;
  }

  std::uint64_t state_;
};

// Describes a range completely, for messages.
inline std::string Described(const Range& range) {
  const auto text = [](double number) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.9g", number);
    return std::string(buffer);
  };
  return "[" + text(range.low) + ", " + text(range.high) + "] gap " + text(range.gap) +
         (range.zero ? " zero" : "") + (range.nan ? " NaN" : "") + (range.integer ? " whole" : "");
}

}  // namespace opledger
