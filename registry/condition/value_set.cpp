// Sets of values; see value_set.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/value_set.h"

#include <algorithm>
#include <limits>

namespace opledger {
namespace {

using Op = ConditionOperator;

constexpr std::int64_t kLeastValue = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatestValue = std::numeric_limits<std::int64_t>::max();

ConditionTree Number(std::int64_t value) {
  return Integer({static_cast<std::uint64_t>(value), false});
}

ConditionTree Never() { return Number(0); }

ConditionTree Equals(const ConditionTree& term, std::int64_t value) {
  return value == 0 ? Negation(term) : Binary(Op::kEqual, term, Number(value));
}

// Returns the condition that the term is in the interval.
ConditionTree IntervalTree(const ConditionTree& term, ValueInterval interval) {
  const auto [least, greatest] = interval;
  if (least == greatest) return Equals(term, least);
  std::vector<ConditionTree> bounds;
  if (least != kLeastValue) {
    bounds.push_back(least == 1 ? Binary(Op::kGreater, term, Number(0))
                                : Binary(Op::kGreaterEqual, term, Number(least)));
  }
  if (greatest != kGreatestValue) {
    bounds.push_back(Binary(Op::kLess, term, Number(greatest + 1)));
  }
  return Conjunction(bounds);
}

ConditionTree Union(const ConditionTree& term, const std::vector<ValueInterval>& intervals) {
  std::vector<ConditionTree> parts;
  for (const ValueInterval& one : intervals) parts.push_back(IntervalTree(term, one));
  return parts.empty() ? Never() : Disjunction(parts);
}

// Returns the shorter of the conditions "is in the set" and "is not in its complement".
ConditionTree ValuesTree(const ConditionTree& term, const ValueSet& values) {
  ValueSet rest = values.Complement();
  rest.undefined = false;
  if (rest.intervals.empty()) return Number(1);
  if (rest.intervals.size() == 1 && rest.intervals[0] == ValueInterval{0, 0}) return term;
  const ConditionTree in = Union(term, values.intervals);
  std::vector<ConditionTree> outs;
  for (const ValueInterval& one : rest.intervals) outs.push_back(Negation(IntervalTree(term, one)));
  const ConditionTree out = Conjunction(outs);
  return ConditionText(*out).size() < ConditionText(*in).size() ? out : in;
}

}  // namespace

ValueSet ValueSet::All() { return {true, {{kLeastValue, kGreatestValue}}}; }

bool ValueSet::Contains(std::int64_t value) const {
  return std::any_of(intervals.begin(), intervals.end(), [&](const ValueInterval& one) {
    return one.least <= value && value <= one.greatest;
  });
}

void ValueSet::Append(ValueInterval interval) {
  if (!intervals.empty() && intervals.back().greatest + 1 == interval.least) {
    intervals.back().greatest = interval.greatest;
  } else {
    intervals.push_back(interval);
  }
}

ValueSet ValueSet::And(const ValueSet& other) const {
  ValueSet both{undefined && other.undefined, {}};
  for (const ValueInterval& a : intervals) {
    for (const ValueInterval& b : other.intervals) {
      const ValueInterval one{std::max(a.least, b.least), std::min(a.greatest, b.greatest)};
      if (one.least <= one.greatest) both.intervals.push_back(one);
    }
  }
  return both;
}

ValueSet ValueSet::Complement() const {
  ValueSet rest{!undefined, {}};
  std::int64_t least = kLeastValue;
  for (const ValueInterval& one : intervals) {
    if (one.least > least) rest.intervals.push_back({least, one.least - 1});
    if (one.greatest == kGreatestValue) return rest;
    least = one.greatest + 1;
  }
  rest.intervals.push_back({least, kGreatestValue});
  return rest;
}

ConditionTree MembershipTree(const ConditionTree& term, const ValueSet& set) {
  const bool macro = term->kind == ConditionNode::Kind::kMacro;
  if (!macro || set.undefined == set.Contains(0)) return ValuesTree(term, set);
  const ConditionTree defined = DefinedMacro(term->name);
  const ConditionTree values = ValuesTree(term, set);
  return set.undefined ? Disjunction({Negation(defined), values}) : Conjunction({defined, values});
}

}  // namespace opledger
