// The value of an expression, and of a function, under a set of defines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "registry/condition/condition.h"
#include "registry/condition/diagram.h"
#include "registry/condition/tree.h"

namespace opledger {

// Bounded work: a define that leads back to itself, or on and on, counts as 0.
ConditionInteger EvaluateTree(const ConditionNode& node, const Defines& defines);
bool EvaluateFunction(ConditionFunction f, const Defines& defines);

// The value as a signed integer, which is what diagrams compare; the greatest for greater ones.
inline std::int64_t SignedValue(ConditionInteger value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(value.is_unsigned ? std::min(value.bits, kMost) : value.bits);
}

// Adds the macros of the tree, without those inside opaque atoms; also these atoms, if asked.
void CollectMacros(const ConditionNode& node, bool atoms, std::set<std::string>& names);
// The same of all tests of a function.
void CollectNames(ConditionFunction f, bool atoms, std::set<std::string>& names);

}  // namespace opledger
