// The parts of a condition that can be solved apart, and how each uses its macros.
//   A > 2 && A < 9 && defined(B)  ->  {A: literals 1 2 3 8 9 10}, {B: defined}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/condition/condition.h"
#include "registry/condition/tree.h"

namespace opledger {

struct LessInteger {
  bool operator()(ConditionInteger a, ConditionInteger b) const {
    if (a.is_unsigned != b.is_unsigned) return b.is_unsigned;
    if (a.is_unsigned) return a.bits < b.bits;
    return static_cast<std::int64_t>(a.bits) < static_cast<std::int64_t>(b.bits);
  }
};

// How one macro, or opaque atom, is used.
struct ConditionUse {
  bool is_opaque = false;
  bool defined = false;  // in defined(...)
  bool value = false;    // for its value
  // Values worth trying besides 0 and 1: what it is compared with, one less and one more.
  std::set<ConditionInteger, LessInteger> literals;
};

struct ConditionPart {
  std::vector<ConditionTree> terms;
  std::map<std::string, ConditionUse> uses;
};

// Terms stay together when they share a macro, directly or through the texts of `base`.
std::vector<ConditionPart> SplitCondition(const ConditionTree& tree, const Defines& base);

}  // namespace opledger
