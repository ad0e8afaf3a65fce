// Sets of values of one variable of a condition, and the expressions for them: A, !A, A == 3, A >=
// 2.
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
  bool undefined = false;                // whether the set contains "undefined"
  std::vector<ValueInterval> intervals;  // ascending, with a gap between each two

  static ValueSet All();
  bool Contains(std::int64_t value) const;
  // Adds an interval that begins after all others.
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

// Returns the condition that the term is in the set, which must be neither empty nor complete. A
// term that is not a macro is always defined.
ConditionTree MembershipTree(const ConditionTree& term, const ValueSet& set);

}  // namespace opledger
