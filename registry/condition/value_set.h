// Sets of values of one variable of a condition, and how they are written: A, !A, A == 3, A >= 2.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "registry/condition/tree.h"

namespace opledger {

struct ValueInterval {
  std::int64_t least = 0;
  std::int64_t greatest = 0;

  auto operator<=>(const ValueInterval&) const = default;
};

struct ValueSet {
  bool undefined = false;                // whether "undefined" is one of them
  std::vector<ValueInterval> intervals;  // ascending, with something between two of them

  static ValueSet All();
  bool Contains(std::int64_t value) const;
  // Adds an interval that begins behind all others.
  void Append(ValueInterval interval);
  ValueSet And(const ValueSet& other) const;
  ValueSet Or(const ValueSet& other) const {
    return Complement().And(other.Complement()).Complement();
  }
  ValueSet Complement() const;
  bool IsEmpty() const { return !undefined && intervals.empty(); }
  bool IsWithin(const ValueSet& other) const { return And(other) == *this; }

  auto operator<=>(const ValueSet&) const = default;
};

// The expression that says that the term is in the set, which is neither empty nor all; the term of
// what is not a macro is always defined.
ConditionTree MembershipTree(const ConditionTree& term, const ValueSet& set);

}  // namespace opledger
