// Builds canonical expressions; see tree.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/tree.h"

#include <algorithm>
#include <utility>

#include "registry/condition/arithmetic.h"

namespace opledger {
namespace {

using NodeKind = ConditionNode::Kind;
using Op = ConditionOperator;

bool IsInteger(const ConditionTree& tree) { return tree->kind == NodeKind::kInteger; }

ConditionTree TruthValue(bool value) { return Integer({value ? 1u : 0u, false}); }

ConditionTree Node(NodeKind kind, Op op, std::vector<ConditionTree> operands) {
  auto node = std::make_shared<ConditionNode>();
  node->kind = kind;
  node->op = op;
  for (const ConditionTree& operand : operands) {
    node->depth = std::max(node->depth, operand->depth + 1);
  }
  node->operands = std::move(operands);
  return node;
}

ConditionTree Leaf(NodeKind kind, std::string name) {
  auto node = std::make_shared<ConditionNode>();
  node->kind = kind;
  node->name = std::move(name);
  return node;
}

ConditionTree Not(ConditionTree operand) {
  return Node(NodeKind::kNot, Op::kComma, {std::move(operand)});
}

// Returns whether the value is always 0 or 1.
bool IsTruthValue(const ConditionNode& node) {
  switch (node.kind) {
    case NodeKind::kDefined:
    case NodeKind::kNot:
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return true;
    default:
      return IsComparison(node);
  }
}

// Returns 1 if `condition` is not zero: the value of a conjunction with one operand.
ConditionTree TruthOf(const ConditionTree& condition) {
  if (IsInteger(condition)) return TruthValue(condition->value.bits != 0);
  return IsTruthValue(*condition) ? condition : Not(Not(condition));
}

Op Inverse(Op op) {
  switch (op) {
    case Op::kEqual:
      return Op::kNotEqual;
    case Op::kNotEqual:
      return Op::kEqual;
    case Op::kLess:
      return Op::kGreaterEqual;
    case Op::kGreaterEqual:
      return Op::kLess;
    case Op::kGreater:
      return Op::kLessEqual;
    case Op::kLessEqual:
      return Op::kGreater;
    default:
      return op;
  }
}

Op Mirrored(Op op) {
  switch (op) {
    case Op::kLess:
      return Op::kGreater;
    case Op::kGreater:
      return Op::kLess;
    case Op::kLessEqual:
      return Op::kGreaterEqual;
    case Op::kGreaterEqual:
      return Op::kLessEqual;
    default:
      return op;
  }
}

// Combines operands with kAnd (`neutral` is true) or kOr (`neutral` is false).
ConditionTree Combination(NodeKind kind, bool neutral, const std::vector<ConditionTree>& operands) {
  std::vector<std::pair<std::string, ConditionTree>> terms;
  const auto add = [&](const ConditionTree& term) {
    terms.emplace_back(ConditionText(*term), term);
  };
  for (const ConditionTree& operand : operands) {
    const ConditionTree term = AsCondition(operand);
    if (IsInteger(term)) {
      if ((term->value.bits != 0) != neutral) return TruthValue(!neutral);
    } else if (term->kind == kind) {
      std::for_each(term->operands.begin(), term->operands.end(), add);
    } else {
      add(term);
    }
  }
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  const auto equal = [](const auto& a, const auto& b) { return a.first == b.first; };
  std::sort(terms.begin(), terms.end(), less);
  terms.erase(std::unique(terms.begin(), terms.end(), equal), terms.end());
  if (terms.empty()) return TruthValue(neutral);
  if (terms.size() == 1) return TruthOf(terms.front().second);
  std::vector<ConditionTree> sorted;
  for (auto& term : terms) sorted.push_back(std::move(term.second));
  return Node(kind, Op::kComma, std::move(sorted));
}

}  // namespace

bool IsComparison(const ConditionNode& node) {
  return node.kind == NodeKind::kBinary && Inverse(node.op) != node.op;
}

ConditionTree Integer(ConditionInteger value) {
  auto node = std::make_shared<ConditionNode>();
  node->value = value;
  return node;
}

ConditionTree Macro(std::string name) { return Leaf(NodeKind::kMacro, std::move(name)); }
ConditionTree DefinedMacro(std::string name) { return Leaf(NodeKind::kDefined, std::move(name)); }
ConditionTree Opaque(std::string text) { return Leaf(NodeKind::kOpaque, std::move(text)); }

ConditionTree AsCondition(const ConditionTree& tree) {
  if (IsInteger(tree)) return TruthValue(tree->value.bits != 0);
  const bool twice_negated =
      tree->kind == NodeKind::kNot && tree->operands[0]->kind == NodeKind::kNot;
  return twice_negated ? tree->operands[0]->operands[0] : tree;
}

ConditionTree Negation(const ConditionTree& operand) {
  const ConditionTree condition = AsCondition(operand);
  if (IsInteger(condition)) return TruthValue(condition->value.bits == 0);
  if (condition->kind == NodeKind::kNot) return TruthOf(condition->operands[0]);
  if (IsComparison(*condition)) {
    return Binary(Inverse(condition->op), condition->operands[0], condition->operands[1]);
  }
  return Not(condition);
}

ConditionTree Conjunction(const std::vector<ConditionTree>& operands) {
  return Combination(NodeKind::kAnd, true, operands);
}

ConditionTree Disjunction(const std::vector<ConditionTree>& operands) {
  return Combination(NodeKind::kOr, false, operands);
}

ConditionTree NegatedAtLeaves(const ConditionTree& tree, bool negated) {
  const NodeKind kind = tree->kind;
  const bool joined = kind == NodeKind::kAnd || kind == NodeKind::kOr;
  if (kind == NodeKind::kNot) return NegatedAtLeaves(tree->operands[0], !negated);
  if (!joined) return negated ? Negation(tree) : tree;
  std::vector<ConditionTree> operands;
  for (const ConditionTree& one : tree->operands) operands.push_back(NegatedAtLeaves(one, negated));
  return (kind == NodeKind::kAnd) != negated ? Conjunction(operands) : Disjunction(operands);
}

ConditionTree Unary(Op op, const ConditionTree& operand) {
  if (IsInteger(operand)) return Integer(ApplyUnary(op, operand->value));
  return Node(NodeKind::kUnary, op, {operand});
}

ConditionTree Binary(Op op, const ConditionTree& left, const ConditionTree& right) {
  if (IsInteger(left) && IsInteger(right)) {
    if (const auto value = ApplyBinary(op, left->value, right->value)) return Integer(*value);
  }
  ConditionTree node = Node(NodeKind::kBinary, op, {left, right});
  if (IsComparison(*node) && IsInteger(left)) return Binary(Mirrored(op), right, left);
  if (op == Op::kGreaterEqual && IsInteger(right) && right->value.bits == 1) {
    return Binary(Op::kGreater, left, Integer({0, right->value.is_unsigned}));
  }
  return node;
}

ConditionTree Choice(const ConditionTree& condition, const ConditionTree& first,
                     const ConditionTree& second) {
  const ConditionTree test = AsCondition(condition);
  if (IsInteger(test) && IsInteger(first) && IsInteger(second)) {
    const ConditionTree& chosen = test->value.bits != 0 ? first : second;
    const bool is_unsigned = first->value.is_unsigned || second->value.is_unsigned;
    return Integer({chosen->value.bits, is_unsigned});
  }
  return Node(NodeKind::kChoice, Op::kComma, {test, first, second});
}

}  // namespace opledger
