// The tree behind a Condition (condition.h): expressions in canonical form. Nodes are created only
// by the functions below, which fold constants, sort operands and drop redundant ones.
//   Negation(Binary(kEqual, Integer({1}), Macro("A")))  ->  A != 1
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace opledger {

// An integer of preprocessor arithmetic: 64 bits, signed or unsigned.
struct ConditionInteger {
  std::uint64_t bits = 0;
  bool is_unsigned = false;

  bool operator==(const ConditionInteger&) const = default;
};

enum class ConditionOperator {
  kComma,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kShiftLeft,
  kShiftRight,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kMinus,       // unary
  kComplement,  // unary
};

struct ConditionNode;
using ConditionTree = std::shared_ptr<const ConditionNode>;

struct ConditionNode {
  enum class Kind {
    kInteger,
    kMacro,    // its value
    kDefined,  // defined(NAME)
    kOpaque,   // NAME(...)
    kNot,
    kAnd,  // two or more operands, sorted by text
    kOr,   // likewise
    kUnary,
    kBinary,
    kChoice,  // condition ? first : second
  };
  Kind kind = Kind::kInteger;
  ConditionOperator op = ConditionOperator::kComma;  // for kUnary and kBinary
  ConditionInteger value;                            // for kInteger
  std::string name;  // for kMacro and kDefined; for kOpaque, its text
  std::vector<ConditionTree> operands;
  int depth = 1;  // of the tree
};

// Deeper expressions are rejected by the parser.
inline constexpr int kMaxConditionDepth = 200;

ConditionTree Integer(ConditionInteger value);
ConditionTree Macro(std::string name);
ConditionTree DefinedMacro(std::string name);
ConditionTree Opaque(std::string text);
ConditionTree Negation(const ConditionTree& operand);
ConditionTree Conjunction(const std::vector<ConditionTree>& operands);
ConditionTree Disjunction(const std::vector<ConditionTree>& operands);
// Returns the condition, or its negation, without `!` before parentheses: !A || !B for !(A && B).
ConditionTree NegatedAtLeaves(const ConditionTree& tree, bool negated);
ConditionTree Unary(ConditionOperator op, const ConditionTree& operand);
ConditionTree Binary(ConditionOperator op, const ConditionTree& left, const ConditionTree& right);
ConditionTree Choice(const ConditionTree& condition, const ConditionTree& first,
                     const ConditionTree& second);

// Simplifies an expression of which only zero or nonzero matters: `!!A` becomes A, 5 becomes 1.
ConditionTree AsCondition(const ConditionTree& tree);

bool IsComparison(const ConditionNode& node);

// Returns the canonical text. Parsing it gives the same tree.
std::string ConditionText(const ConditionNode& node);

}  // namespace opledger
