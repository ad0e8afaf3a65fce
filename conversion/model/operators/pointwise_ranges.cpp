// Ranges of element-wise operators with several inputs, which are broadcast to each other.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "conversion/model/operators/operators.h"

namespace opledger {
namespace {

using Binary = Range (*)(const Range&, const Range&);

void Fold(RangeContext& node, Binary function) {
  TensorRange result = node.Input(0);
  for (std::size_t i = 1; i < node.InputCount(); ++i) {
    result = Mapped(result, node.Input(i), function);
  }
  node.Set(std::move(result));
}

// Truncates quotients of an integer division.
Range Truncated(Range range) {
  range.low = std::trunc(range.low);
  range.high = std::trunc(range.high);
  range.zero = true;
  range.gap = 0;
  range.integer = true;
  return Tightened(range);
}

// Returns the quotient of integers of any size by a nonzero divisor.
Range WholeQuotient(const Range& a, const Range& b) {
  Range result = Quotient(a, b);
  if (!a.IsBounded() || !b.IsBounded()) return Truncated(result);
  result.low = kInfinite;
  result.high = -kInfinite;
  const auto divide = [&](double divisor) {
    for (const double each : {a.low, a.high}) {
      result.low = std::min(result.low, each / divisor);
      result.high = std::max(result.high, each / divisor);
    }
  };
  if (b.high > 0) divide(std::max(b.low, b.gap));
  if (b.high > 0) divide(b.high);
  if (b.low < 0) divide(std::min(b.high, -b.gap));
  if (b.low < 0) divide(b.low);
  return Truncated(result);
}

Range Chosen(const Range& condition, const Range& yes, const Range& no) {
  if (condition.IsPoint()) return condition.low != 0 ? yes : no;
  return Hull(yes, no);
}

// Matches x if it is nonzero, else a small number: a guard by Where.
bool IsGuardOf(const Range& guard, const Range& data) {
  return guard.IsPoint() && guard.low > 0 && guard.high < kLargestGuard && data.zero &&
         data.low == -kInfinite;
}

Range PresumedChoice(const Range& condition, const Range& yes, const Range& no) {
  Range range = Chosen(condition, yes, no);
  const bool guards = IsGuardOf(yes, no) || IsGuardOf(no, yes);
  if (!guards || condition.IsPoint()) return range;
  range.zero = false;
  range.gap = std::min(yes.IsPoint() ? yes.low : kInfinite, no.IsPoint() ? no.low : kInfinite);
  return Tightened(range);
}

// Restricts the range of `value` if it is an operand of a comparison known to hold, or not to hold.
Range Restricted(const ConditionComparison& comparison, bool holds, ValueId value, Range range,
                 bool presumes) {
  // Comparisons with NaN are false.
  const bool nan = comparison.of_left.nan || comparison.of_right.nan;
  if (!holds && nan && !presumes) return range;
  const bool less = comparison.op.starts_with("Less");
  // Known to hold: left < right if `rises`, otherwise left > right.
  const bool rises = less == holds;
  if (value == comparison.left && rises) {
    range.high = std::min(range.high, comparison.of_right.high);
  } else if (value == comparison.left) {
    range.low = std::max(range.low, comparison.of_right.low);
  } else if (value == comparison.right && rises) {
    range.low = std::max(range.low, comparison.of_left.low);
  } else if (value == comparison.right) {
    range.high = std::min(range.high, comparison.of_left.high);
  }
  return Tightened(range);
}

// Returns a power of `base` by a known exponent.
Range PowerOf(const Range& base, double exponent) {
  if (exponent == 2) return Square(base);
  if (exponent == 1) return base;
  if (exponent == 0) return Range::Point(1);
  const bool whole = std::nearbyint(exponent) == exponent;
  const bool odd = whole && std::fmod(std::abs(exponent), 2) == 1;
  Range result;
  if (base.IsEmpty()) return base;
  if (base.low < 0 && !whole) return result;  // NaN for some elements
  const Range size = Magnitudes(base);
  if (exponent < 0 && (size.zero || size.gap == 0)) {
    result = Range::Between(odd && base.low < 0 ? -kInfinite : 0, kInfinite);
    if (base.low >= 0 || !odd) result.low = 0;
    if (odd && base.zero) result.low = -kInfinite;  // a negative zero
    result.nan = base.nan;
    return result;
  }
  const double near = std::pow(size.low, exponent);
  const double far = std::pow(size.high, exponent);
  result = Range::Between(std::min(near, far), std::max(near, far));
  if (odd && base.low < 0) result = Hull(result, Negated(result));
  result.nan = base.nan;
  const bool any = base.loose.Any();
  const Looseness falls = {base.loose.high, base.loose.low};
  result.loose = base.low < 0 ? Looseness{any, any} : exponent > 0 ? base.loose : falls;
  result.zero = size.zero || exponent < 0 || result.low <= 0;
  result = InFloat32(result, 0x1p-18, 0);
  if (!odd && result.low < 0) result.low = 0;
  if (base.reach > 0) result.reach = std::pow(base.reach, exponent);
  return result;
}

Range Power(const Range& base, const Range& exponent) {
  if (exponent.IsPoint()) return PowerOf(base, exponent.low);
  if (base.IsEmpty() || exponent.IsEmpty()) return {};
  if (base.low <= 0 || base.nan || exponent.nan) return {};
  double low = kInfinite;
  double high = 0;
  for (const double b : {base.low, base.high}) {
    for (const double e : {exponent.low, exponent.high}) {
      const double power = std::pow(b, e);
      if (std::isnan(power)) return {};
      low = std::min(low, power);
      high = std::max(high, power);
    }
  }
  Range result = InFloat32(Range::Between(low, high), 0x1p-16, 0);
  result.low = std::max(result.low, 0.0);
  return result;
}

Range Remainder(const Range& a, const Range& b) {
  if (!b.IsBounded() || b.nan || a.nan || a.MayBeInfinite()) return {};
  const double size = b.Magnitude();
  Range result =
      Range::Between(b.low >= 0 && a.low >= 0 ? 0 : -size, b.high <= 0 && a.high <= 0 ? 0 : size);
  result.high = std::min(result.high, std::max(a.high, size));
  result.nan = b.zero || b.gap == 0;
  result.integer = a.integer && b.integer;
  if (result.integer && b.low > 0) result.high = size - 1;
  return Tightened(result);
}

// Returns 1 if the comparison holds for all pairs, 0 if it holds for none, otherwise [0, 1].
Range Compared(std::string_view op, const Range& a, const Range& b) {
  const Range either = Range::Integers(0, 1);
  if (a.IsEmpty() || b.IsEmpty() || a.nan || b.nan) return either;
  const auto certain = [&](bool always, bool never) {
    return always ? Range::Point(1) : never ? Range::Point(0) : either;
  };
  if (op == "Less") return certain(a.high < b.low, a.low >= b.high);
  if (op == "LessOrEqual") return certain(a.high <= b.low, a.low > b.high);
  if (op == "Greater") return certain(a.low > b.high, a.high <= b.low);
  if (op == "GreaterOrEqual") return certain(a.low >= b.high, a.high < b.low);
  if (op == "Equal") {
    return certain(a.IsPoint() && b.IsPoint() && a.low == b.low, a.high < b.low || a.low > b.high);
  }
  if (op == "And") return certain(a.low > 0 && b.low > 0, a.high <= 0 || b.high <= 0);
  if (op == "Or") return certain(a.low > 0 || b.low > 0, a.high <= 0 && b.high <= 0);
  return either;
}

}  // namespace

void AddRanges(RangeContext& node) {
  const bool presumes = node.presumes();
  node.Set(Mapped(node.Input(0), node.Input(1),
                  [=](const Range& a, const Range& b) { return GuardedSum(a, b, presumes); }));
}

void SubRanges(RangeContext& node) {
  if (node.AreSame(0, 1) && node.In(0).IsBounded() && !node.In(0).nan) {
    return node.Set(Range::Point(0));
  }
  const bool presumes = node.presumes();
  node.Set(Mapped(node.Input(0), node.Input(1), [=](const Range& a, const Range& b) {
    return GuardedSum(a, Negated(b), presumes);
  }));
}

void MulRanges(RangeContext& node) {
  const bool presumes = node.presumes();
  if (node.AreSame(0, 1)) {
    return node.Set(Mapped(node.Input(0), [](const Range& each) {
      Range square = Square(each);
      square.reach = each.reach * each.reach;
      return square;
    }));
  }
  node.Set(Mapped(node.Input(0), node.Input(1),
                  [=](const Range& a, const Range& b) { return ReachingProduct(a, b, presumes); }));
}

void DivRanges(RangeContext& node) {
  const bool whole = node.IsIntegral(0);
  const bool presumes = node.presumes();
  node.Set(Mapped(node.Input(0), node.Input(1), [=](const Range& a, const Range& b) {
    if (whole) return b.zero ? Range() : WholeQuotient(a, b);
    return ReachingQuotient(a, b, presumes);
  }));
}

void ModRanges(RangeContext& node) { Fold(node, Remainder); }
void PowRanges(RangeContext& node) {
  if (!node.IsIntegral(0)) Fold(node, Power);  // integers wrap, and cannot be fractions
}
void MinRanges(RangeContext& node) { Fold(node, Least); }
void MaxRanges(RangeContext& node) { Fold(node, Greatest); }
void SumRanges(RangeContext& node) { Fold(node, Sum); }

void MeanRanges(RangeContext& node) {
  Fold(node, Sum);
  const auto count = static_cast<double>(node.InputCount());
  node.Set(Mapped(node.outputs()[0], [&](const Range& each) {
    // Kernels divide, or multiply by the rounded reciprocal.
    return InFloat32(Quotient(each, Range::Point(count)), count > 1 ? 0x1p-22 : 0);
  }));
}

void WhereRanges(RangeContext& node) {
  const auto choose = node.presumes() ? PresumedChoice : Chosen;
  const TensorRange& condition = node.Input(0);
  const bool known = condition.elements != nullptr && node.Input(1).elements != nullptr &&
                     node.Input(2).elements != nullptr;
  if (!known && node.condition()) {
    return node.Set(
        choose(condition.all,
               Restricted(*node.condition(), true, node.InputId(1), node.In(1), node.presumes()),
               Restricted(*node.condition(), false, node.InputId(2), node.In(2), node.presumes())));
  }
  if (!known) return node.Set(choose(condition.all, node.In(1), node.In(2)));
  // Broadcast both choices and the condition to the same shape.
  const auto first = [](const Range& a, const Range&) { return a; };
  const TensorRange yes = Mapped(Mapped(node.Input(1), condition, first), node.Input(2), first);
  const TensorRange no = Mapped(Mapped(node.Input(2), condition, first), node.Input(1), first);
  const TensorRange chooses = Mapped(Mapped(condition, node.Input(1), first), node.Input(2), first);
  const bool same = yes.elements != nullptr && no.elements != nullptr &&
                    chooses.elements != nullptr && yes.elements->shape == no.elements->shape &&
                    yes.elements->shape == chooses.elements->shape;
  if (!same) return node.Set(choose(condition.all, node.In(1), node.In(2)));
  std::vector<Range> numbers;
  for (std::size_t i = 0; i < yes.elements->numbers.size(); ++i) {
    numbers.push_back(
        choose(chooses.elements->numbers[i], yes.elements->numbers[i], no.elements->numbers[i]));
  }
  node.Set(OfElements(yes.elements->shape, std::move(numbers)));
}

// Before version 11 the bounds are attributes. Kernels use the largest finite numbers for omitted
// bounds.
void ClipRanges(RangeContext& node) {
  const double finite = LargestOf(Dtype::kFloat32);
  const Range least = node.HasInput(1)  ? node.In(1)
                      : node.Has("min") ? Range::Point(node.Number("min", 0))
                                        : Range::Between(-kInfinite, -finite);
  const Range most = node.HasInput(2)  ? node.In(2)
                     : node.Has("max") ? Range::Point(node.Number("max", 0))
                                       : Range::Between(finite, kInfinite);
  node.Set(Mapped(node.Input(0), [&](const Range& each) {
    Range clipped = Least(Greatest(each, least), most);
    // Kernels disagree about the order of operations if the bounds are crossed.
    if (least.high > most.low) clipped = Hull(clipped, Greatest(Least(each, most), least));
    // Some kernels ignore a bound that is NaN.
    if (least.nan || most.nan) {
      clipped = Hull(Hull(clipped, each), Hull(Greatest(each, least), Least(each, most)));
    }
    clipped.nan = each.nan || least.nan || most.nan;
    return clipped;
  }));
}

void CompareRanges(RangeContext& node) {
  const std::string_view op = node.Op();
  node.Set(Mapped(node.Input(0), node.Input(1),
                  [=](const Range& a, const Range& b) { return Compared(op, a, b); }));
}

void PReluRanges(RangeContext& node) {
  node.Set(Mapped(node.Input(0), node.Input(1), [](const Range& x, const Range& slope) {
    const Range zero = Range::Point(0);
    Range result = Hull(Greatest(x, zero), Product(Least(x, zero), slope));
    result.loose = x.loose;
    return result;
  }));
}

}  // namespace opledger
