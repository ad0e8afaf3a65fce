// Evaluates expressions and functions under a set of defines.
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

// The work is bounded: a define that refers to itself, or a chain that is too long, counts as 0.
ConditionInteger EvaluateTree(const ConditionNode& node, const Defines& defines);
bool EvaluateFunction(ConditionFunction f, const Defines& defines);

// Returns the value as a signed integer, as diagrams compare it; saturates at the maximum.
inline std::int64_t SignedValue(ConditionInteger value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(value.is_unsigned ? std::min(value.bits, kMost) : value.bits);
}

// Adds the macros of the tree, excluding those inside opaque atoms. If `atoms` is set, also adds
// opaque atoms.
void CollectMacros(const ConditionNode& node, bool atoms, std::set<std::string>& names);
// Does the same for all tests of a function.
void CollectNames(ConditionFunction f, bool atoms, std::set<std::string>& names);

}  // namespace opledger
