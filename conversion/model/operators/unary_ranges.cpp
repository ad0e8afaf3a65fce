// Ranges of unary functions. Most are monotonic, so that bounds map to bounds.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

// Error bounds of float32 kernels, which approximate these functions by polynomials.
constexpr double kRelative = 0x1p-17;
constexpr double kAbsolute = 0x1p-19;
constexpr double kExpRelative = 0x1p-21;  // of Exp alone

struct Limits {
  double low = -kInfinite;
  double high = kInfinite;
};

Range Within(Range range, Limits limits) {
  const double low = std::clamp(range.low, limits.low, limits.high);
  const double high = std::clamp(range.high, limits.low, limits.high);
  if (range.IsEmpty() || (low == range.low && high == range.high)) return range;
  range.low = low;
  range.high = high;
  range.gap = 0;  // clamped elements may be closer to zero
  range.zero = low <= 0 && high >= 0;
  return Tightened(range);
}

// Maps a range by a nondecreasing function.
Range Rising(const Range& x, double (*function)(double), Limits limits = {}) {
  if (x.IsEmpty()) return x;
  Range result = Range::Between(function(x.low), function(x.high));
  result = Within(InFloat32(result, kRelative, kAbsolute), limits);
  result.nan = x.nan;
  if (result.Magnitude() > 1) result.loose = x.loose;
  return result;
}

// Like Rising, for a function close to x near zero, where kernels keep their relative error.
Range RisingThroughZero(const Range& x, double (*function)(double), Limits limits = {}) {
  Range result = Rising(x, function, limits);
  if (x.IsEmpty() || x.low <= 0) return result;
  constexpr double kNearZero = 1 - 0x1p-6;
  result.low = std::max(result.low, function(x.low) * kNearZero);
  return InFloat32(Tightened(result));
}

Range Falling(const Range& x, double (*function)(double), Limits limits = {}) {
  return Rising(Negated(x), function, limits);
}

double ErfOf(double x) { return std::erf(x); }
double SigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }
double SoftplusOf(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }
double SoftsignOf(double x) { return std::isinf(x) ? (x > 0 ? 1 : -1) : x / (1 + std::abs(x)); }
double ArccosOfNegative(double x) { return std::acos(std::clamp(-x, -1.0, 1.0)); }
double ArcsinOf(double x) { return std::asin(std::clamp(x, -1.0, 1.0)); }

// Kernels of Tanh and Softsign exceed 1 by one or two units in the last place, which is ignored
// when `presumes` is set.
Limits UnitLimits(const RangeContext& node) {
  const double one = node.presumes() ? 1 : 1 + 0x1p-21;
  return {-one, one};
}

// x for positive elements, at least `least` for the others.
Range Gated(const Range& x, double least) {
  if (x.IsEmpty()) return x;
  Range result = Range::Between(x.low >= 0 ? 0 : least, std::max(x.high, 0.0));
  result = InFloat32(result, kRelative, kAbsolute);
  // For negative infinity this is zero times infinity, on which kernels disagree.
  result.nan = x.nan || x.low == -kInfinite;
  result.loose = x.loose;
  result.reach = x.reach;
  return result;
}

Range EluLike(const Range& x, double alpha, double scale) {
  if (alpha < 0 || scale < 0) return {};
  Range result = Range::Between(x.low >= 0 ? 0 : -alpha * scale, std::max(x.high, 0.0) * scale);
  result.nan = x.nan || (scale == 0 && x.MayBeInfinite());
  result.loose = x.loose;
  return InFloat32(result, kRelative, kAbsolute);
}

}  // namespace

Range ReluRange(RangeContext&, const Range& x) {
  Range result = Greatest(x, Range::Point(0));
  result.nan = x.nan;
  result.reach = x.reach;
  return result;
}

Range AbsRange(RangeContext& node, const Range& x) {
  // The smallest integer of a type has no positive counterpart in it.
  const bool wraps = node.IsIntegral(0) && x.low <= RangeOf(*node.InputType(0)).low;
  return wraps ? RangeOf(*node.InputType(0)) : Magnitudes(x);
}
Range NegRange(RangeContext&, const Range& x) { return Negated(x); }

Range SqrtRange(RangeContext&, const Range& x) {
  if (x.IsEmpty()) return x;
  Range result = Range::Between(std::sqrt(std::max(x.low, 0.0)), std::sqrt(std::max(x.high, 0.0)));
  result.nan = x.nan || x.low < 0;
  result.zero = x.zero;
  result.gap = std::sqrt(x.gap);
  result.loose = x.loose;
  result = InFloat32(Tightened(result));
  if (x.high < 0) result = Range::Nothing();
  result.nan = x.nan || x.low < 0;
  result.reach = std::sqrt(x.reach);
  return result;
}

Range ExpRange(RangeContext&, const Range& x) {
  if (x.IsEmpty()) return x;
  Range result = Range::Between(std::exp(x.low), std::exp(x.high));
  result.nan = x.nan;
  result.loose = x.loose;
  result = InFloat32(result, kExpRelative);
  result.low = std::max(result.low, 0.0);
  return Tightened(result);
}

Range LogRange(RangeContext&, const Range& x) {
  if (x.IsEmpty()) return x;
  const double least = std::max(x.low, 0.0);
  Range result =
      Range::Between(least == 0 && !x.zero && x.gap > 0 ? std::log(x.gap) : std::log(least),
                     std::log(std::max(x.high, 0.0)));
  result.nan = x.nan || x.low < 0;
  result.loose = x.loose;
  return InFloat32(result, kRelative, kAbsolute);
}

Range ReciprocalRange(RangeContext&, const Range& x) { return Quotient(Range::Point(1), x); }

Range SigmoidRange(RangeContext&, const Range& x) { return Rising(x, SigmoidOf, {0, 1}); }
Range TanhRange(RangeContext& node, const Range& x) {
  return RisingThroughZero(
      x, [](double y) { return std::tanh(y); }, UnitLimits(node));
}
Range ErfRange(RangeContext&, const Range& x) { return RisingThroughZero(x, ErfOf, {-1, 1}); }
Range SoftplusRange(RangeContext&, const Range& x) { return Rising(x, SoftplusOf, {0}); }
Range SoftsignRange(RangeContext& node, const Range& x) {
  Range result = RisingThroughZero(x, SoftsignOf, UnitLimits(node));
  result.nan = x.nan || x.MayBeInfinite();
  return result;
}
Range AtanRange(RangeContext&, const Range& x) {
  return RisingThroughZero(x, [](double y) { return std::atan(y); });
}
Range SinhRange(RangeContext&, const Range& x) {
  return RisingThroughZero(x, [](double y) { return std::sinh(y); });
}
Range AsinhRange(RangeContext&, const Range& x) {
  return RisingThroughZero(x, [](double y) { return std::asinh(y); });
}
Range CoshRange(RangeContext&, const Range& x) {
  return Rising(Magnitudes(x), [](double y) { return std::cosh(y); });
}

Range AsinRange(RangeContext&, const Range& x) {
  Range result = RisingThroughZero(x, ArcsinOf);
  result.nan = result.nan || x.low < -1 || x.high > 1;
  return result;
}
Range AcosRange(RangeContext&, const Range& x) {
  Range result = Falling(x, ArccosOfNegative, {0});
  result.nan = result.nan || x.low < -1 || x.high > 1;
  return result;
}
Range AcoshRange(RangeContext&, const Range& x) {
  Range result = Rising(x, [](double y) { return std::acosh(std::max(y, 1.0)); }, {0});
  result.nan = result.nan || x.low < 1;
  return result;
}
Range AtanhRange(RangeContext&, const Range& x) {
  // Near 1 the error of an inexact x would be amplified, but x is exact here.
  Range result =
      RisingThroughZero(x, [](double y) { return std::atanh(std::clamp(y, -1.0, 1.0)); });
  result.nan = result.nan || x.low < -1 || x.high > 1;
  return result;
}

Range WaveRange(RangeContext&, const Range& x) {
  Range result = Range::Between(-1, 1);
  result.nan = x.nan || x.MayBeInfinite();
  return result;
}

Range FloorRange(RangeContext&, const Range& x) {
  Range result = Range::Integers(std::floor(x.low), std::floor(x.high));
  if (x.IsEmpty()) return x;
  result.nan = x.nan;
  result.loose = x.loose;
  result.reach = x.reach;
  return result;
}
Range CeilRange(RangeContext& node, const Range& x) {
  return Negated(FloorRange(node, Negated(x)));
}
Range RoundRange(RangeContext&, const Range& x) {
  if (x.IsEmpty()) return x;
  Range result = Range::Integers(std::nearbyint(x.low), std::nearbyint(x.high));
  result.nan = x.nan;
  result.loose = x.loose;
  result.reach = x.reach;
  return result;
}

Range SignRange(RangeContext&, const Range& x) {
  const auto sign = [](double y) { return y > 0 ? 1.0 : y < 0 ? -1.0 : 0.0; };
  Range result = x.IsEmpty() ? Range::Nothing() : Range::Integers(sign(x.low), sign(x.high));
  result.zero = x.zero || x.nan;
  result.nan = x.nan;
  return Hull(result, x.nan ? Range::Point(0) : result);
}

Range NotRange(RangeContext&, const Range& x) {
  return x.IsPoint() ? Range::Point(x.low == 0 ? 1 : 0) : Range::Integers(0, 1);
}
Range TruthRange(RangeContext&, const Range&) { return Range::Integers(0, 1); }

Range GeluRange(RangeContext&, const Range& x) { return Gated(x, -0.1701); }
Range MishRange(RangeContext&, const Range& x) { return Gated(x, -0.3089); }
Range SwishRange(RangeContext& node, const Range& x) {
  const double alpha = node.Number("alpha", 1);
  return alpha > 0 ? Gated(x, -0.2785 / alpha) : Range();
}
Range HardSwishRange(RangeContext&, const Range& x) { return Gated(x, -0.3751); }

// alpha * x for negative elements, x for the others.
Range LeakyReluRange(RangeContext& node, const Range& x) {
  const Range zero = Range::Point(0);
  const Range slope = Range::Point(node.Number("alpha", 0.01F));
  Range below = Product(Least(x, zero), slope);
  Range above = Greatest(x, zero);
  if (x.low >= 0) below = above;
  if (x.high <= 0) above = below;
  Range result = Hull(below, above);
  result.nan = x.nan;
  result.reach = x.reach;
  return result;
}

Range EluRange(RangeContext& node, const Range& x) {
  return EluLike(x, node.Number("alpha", 1), 1);
}
Range SeluRange(RangeContext& node, const Range& x) {
  return EluLike(x, node.Number("alpha", 1.67326319217681884765625),
                 node.Number("gamma", 1.05070102214813232421875));
}

Range HardSigmoidRange(RangeContext& node, const Range& x) {
  const Range line = Sum(Product(x, Range::Point(node.Number("alpha", 0.2F))),
                         Range::Point(node.Number("beta", 0.5)));
  Range result = Within(line, {0, 1});
  result.loose = {};
  return result;
}

Range ThresholdedReluRange(RangeContext&, const Range& x) {
  Range result = Hull(Greatest(x, Range::Point(0)), Range::Point(0));
  result = Hull(result, x.low < 0 ? x : result);  // if the threshold is negative
  result.nan = x.nan;
  return result;
}

void UnaryRanges(RangeContext& node) {
  const UnaryRange range = FindRecord(node.Op())->unary;
  node.Set(Mapped(node.Input(0), [&](const Range& each) { return range(node, each); }));
}

// com.microsoft: x * Sigmoid(alpha * x).
void QuickGeluRanges(RangeContext& node) {
  const double alpha = node.Number("alpha", 1.702);
  node.Set(Mapped(node.Input(0),
                  [&](const Range& x) { return alpha > 0 ? Gated(x, -0.2785 / alpha) : Range(); }));
}

// com.microsoft: Gelu, of the sum with a bias if there is one.
void FastGeluRanges(RangeContext& node) {
  const auto gelu = [&](const Range& x) { return GeluRange(node, x); };
  if (!node.HasInput(1)) return node.Set(Mapped(node.Input(0), gelu));
  node.Set(Mapped(node.Input(0), node.Input(1),
                  [&](const Range& x, const Range& bias) { return gelu(Sum(x, bias)); }));
}

}  // namespace opledger
