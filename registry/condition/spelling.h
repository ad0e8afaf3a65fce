// Records how a condition was built: from source text, or by combining others. Its text is derived
// from this if that is as short as what the decision diagram gives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "registry/condition/diagram.h"
#include "registry/condition/tree.h"

namespace opledger {

struct ConditionSpelling;
using SharedSpelling = std::shared_ptr<const ConditionSpelling>;

struct ConditionSpelling {
  enum class Kind { kTree, kAnd, kOr, kNot, kForgotten };

  explicit ConditionSpelling(ConditionFunction f);
  ~ConditionSpelling();
  ConditionSpelling(const ConditionSpelling&) = delete;
  ConditionSpelling& operator=(const ConditionSpelling&) = delete;

  const ConditionFunction function;
  Kind kind = Kind::kForgotten;
  ConditionTree tree;                       // for kTree
  SharedSpelling first;                     // for kAnd, kOr and kNot
  SharedSpelling second;                    // for kAnd and kOr
  std::size_t size = 0;                     // in trees; 0 if forgotten
  mutable std::optional<std::string> text;  // of the shortest tree
};

// Return null if the function is always true. An expression that takes too many steps becomes an
// atom, too_complex(0x1F).
SharedSpelling Spelled(const ConditionTree& tree);
SharedSpelling Joined(bool all, const SharedSpelling& first, const SharedSpelling& second);
SharedSpelling Negated(const SharedSpelling& operand);
// Returns an atom named by the hash of a text.
ConditionTree TooComplexAtom(std::string_view text);
bool IsTooComplexAtom(std::string_view name);

// Returns the shortest known expression of the function.
ConditionTree ShortestTree(const ConditionSpelling& spelling);

}  // namespace opledger
