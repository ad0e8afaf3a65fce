// Functions of one number, in a table: most rise or fall throughout, so that bounds give bounds.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>

#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

// How far float32 kernels are off, which approximate these functions by polynomials.
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
  range.gap = 0;  // what is cut to a limit may be nearer to zero
  range.zero = low <= 0 && high >= 0;
  return Tightened(range);
}

// Of a function that never falls.
Range Rising(const Range& x, double (*function)(double), Limits limits = {}) {
  if (x.IsEmpty()) return x;
  Range result = Range::Between(function(x.low), function(x.high));
  result = Within(InFloat32(result, kRelative, kAbsolute), limits);
  result.nan = x.nan;
  if (result.Magnitude() > 1) result.loose = x.loose;
  return result;
}

// The same of a function that is close to x near zero, where kernels are as exact as elsewhere.
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

Range ReluOf(RangeContext&, const Range& x) {
  Range result = Greatest(x, Range::Point(0));
  result.nan = x.nan;
  result.reach = x.reach;
  return result;
}

Range AbsOf(RangeContext& node, const Range& x) {
  // The least integer of a type has no positive counterpart there.
  const bool wraps = node.IsIntegral(0) && x.low <= RangeOf(*node.InputType(0)).low;
  return wraps ? RangeOf(*node.InputType(0)) : Magnitudes(x);
}
Range NegOf(RangeContext&, const Range& x) { return Negated(x); }

Range SqrtOf(RangeContext&, const Range& x) {
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

Range ExpOf(RangeContext&, const Range& x) {
  if (x.IsEmpty()) return x;
  Range result = Range::Between(std::exp(x.low), std::exp(x.high));
  result.nan = x.nan;
  result.loose = x.loose;
  result = InFloat32(result, kExpRelative);
  result.low = std::max(result.low, 0.0);
  return Tightened(result);
}

Range LogOf(RangeContext&, const Range& x) {
  if (x.IsEmpty()) return x;
  const double least = std::max(x.low, 0.0);
  Range result =
      Range::Between(least == 0 && !x.zero && x.gap > 0 ? std::log(x.gap) : std::log(least),
                     std::log(std::max(x.high, 0.0)));
  result.nan = x.nan || x.low < 0;
  result.loose = x.loose;
  return InFloat32(result, kRelative, kAbsolute);
}

Range ReciprocalOf(RangeContext&, const Range& x) { return Quotient(Range::Point(1), x); }

// Kernels of Tanh and Softsign exceed 1 by one or two places, which nobody means.
Limits UnitLimits(const RangeContext& node) {
  const double one = node.presumes() ? 1 : 1 + 0x1p-21;
  return {-one, one};
}

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
  // Near 1 an error of the last place of x is large, but x itself is exact here.
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

Range FloorOf(RangeContext&, const Range& x) {
  Range result = Range::Integers(std::floor(x.low), std::floor(x.high));
  if (x.IsEmpty()) return x;
  result.nan = x.nan;
  result.loose = x.loose;
  result.reach = x.reach;
  return result;
}
Range CeilOf(RangeContext& node, const Range& x) { return Negated(FloorOf(node, Negated(x))); }
Range RoundOf(RangeContext&, const Range& x) {
  if (x.IsEmpty()) return x;
  Range result = Range::Integers(std::nearbyint(x.low), std::nearbyint(x.high));
  result.nan = x.nan;
  result.loose = x.loose;
  result.reach = x.reach;
  return result;
}

Range SignOf(RangeContext&, const Range& x) {
  const auto sign = [](double y) { return y > 0 ? 1.0 : y < 0 ? -1.0 : 0.0; };
  Range result = x.IsEmpty() ? Range::Nothing() : Range::Integers(sign(x.low), sign(x.high));
  result.zero = x.zero || x.nan;
  result.nan = x.nan;
  return Hull(result, x.nan ? Range::Point(0) : result);
}

Range NotOf(RangeContext&, const Range& x) {
  return x.IsPoint() ? Range::Point(x.low == 0 ? 1 : 0) : Range::Integers(0, 1);
}
Range EitherOf(RangeContext&, const Range&) { return Range::Integers(0, 1); }

// x for what is positive, and above `least` for what is not.
Range Gated(const Range& x, double least) {
  if (x.IsEmpty()) return x;
  Range result = Range::Between(x.low >= 0 ? 0 : least, std::max(x.high, 0.0));
  result = InFloat32(result, kRelative, kAbsolute);
  // Of infinity below, zero times infinity; kernels disagree.
  result.nan = x.nan || x.low == -kInfinite;
  result.loose = x.loose;
  result.reach = x.reach;
  return result;
}
Range GeluOf(RangeContext&, const Range& x) { return Gated(x, -0.1701); }
Range MishOf(RangeContext&, const Range& x) { return Gated(x, -0.3089); }
Range SwishOf(RangeContext& node, const Range& x) {
  const double alpha = node.Number("alpha", 1);
  return alpha > 0 ? Gated(x, -0.2785 / alpha) : Range();
}
Range QuickGeluOf(RangeContext& node, const Range& x) {
  const double alpha = node.Number("alpha", 1.702);
  return alpha > 0 ? Gated(x, -0.2785 / alpha) : Range();
}
Range HardSwishOf(RangeContext&, const Range& x) { return Gated(x, -0.3751); }

// a * x + b for what is negative, x for the rest.
Range LeakyReluOf(RangeContext& node, const Range& x) {
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

Range EluLike(const Range& x, double alpha, double scale) {
  if (alpha < 0 || scale < 0) return {};
  Range result = Range::Between(x.low >= 0 ? 0 : -alpha * scale, std::max(x.high, 0.0) * scale);
  result.nan = x.nan || (scale == 0 && x.MayBeInfinite());
  result.loose = x.loose;
  return InFloat32(result, kRelative, kAbsolute);
}
Range EluOf(RangeContext& node, const Range& x) { return EluLike(x, node.Number("alpha", 1), 1); }
Range SeluOf(RangeContext& node, const Range& x) {
  return EluLike(x, node.Number("alpha", 1.67326319217681884765625),
                 node.Number("gamma", 1.05070102214813232421875));
}

Range HardSigmoidOf(RangeContext& node, const Range& x) {
  const Range line = Sum(Product(x, Range::Point(node.Number("alpha", 0.2F))),
                         Range::Point(node.Number("beta", 0.5)));
  Range result = Within(line, {0, 1});
  result.loose = {};
  return result;
}

Range ThresholdedReluOf(RangeContext&, const Range& x) {
  Range result = Hull(Greatest(x, Range::Point(0)), Range::Point(0));
  result = Hull(result, x.low < 0 ? x : result);  // of a negative threshold
  result.nan = x.nan;
  return result;
}

struct UnaryFunction {
  std::string_view op;
  Range (*range)(RangeContext& node, const Range& x);
};

constexpr UnaryFunction kUnary[] = {
    {"Relu", ReluOf},
    {"Abs", AbsOf},
    {"Neg", NegOf},
    {"Sqrt", SqrtOf},
    {"Exp", ExpOf},
    {"Log", LogOf},
    {"Reciprocal", ReciprocalOf},
    {"Sigmoid", SigmoidRange},
    {"Tanh", TanhRange},
    {"Erf", ErfRange},
    {"Softplus", SoftplusRange},
    {"Softsign", SoftsignRange},
    {"Atan", AtanRange},
    {"Sinh", SinhRange},
    {"Asinh", AsinhRange},
    {"Cosh", CoshRange},
    {"Asin", AsinRange},
    {"Acos", AcosRange},
    {"Acosh", AcoshRange},
    {"Atanh", AtanhRange},
    {"Sin", WaveRange},
    {"Cos", WaveRange},
    {"Floor", FloorOf},
    {"Ceil", CeilOf},
    {"Round", RoundOf},
    {"Sign", SignOf},
    {"Not", NotOf},
    {"IsNaN", EitherOf},
    {"IsInf", EitherOf},
    {"Gelu", GeluOf},
    {"FastGelu", GeluOf},
    {"Mish", MishOf},
    {"Swish", SwishOf},
    {"QuickGelu", QuickGeluOf},
    {"HardSwish", HardSwishOf},
    {"LeakyRelu", LeakyReluOf},
    {"Elu", EluOf},
    {"Selu", SeluOf},
    {"HardSigmoid", HardSigmoidOf},
    {"ThresholdedRelu", ThresholdedReluOf},
};

}  // namespace

void UnaryRanges(RangeContext& node) {
  if (node.Op() == "FastGelu" && node.HasInput(1)) {  // of the sum with a bias
    return node.Set(Mapped(node.Input(0), node.Input(1), [&](const Range& x, const Range& bias) {
      return GeluOf(node, Sum(x, bias));
    }));
  }
  const auto* found = std::find_if(std::begin(kUnary), std::end(kUnary),
                                   [&](const UnaryFunction& each) { return each.op == node.Op(); });
  if (found == std::end(kUnary)) return;
  node.Set(Mapped(node.Input(0), [&](const Range& each) { return found->range(node, each); }));
}

}  // namespace opledger
