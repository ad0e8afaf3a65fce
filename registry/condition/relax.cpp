// Arithmetic over macros becomes an atom; see condition_relax.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/relax.h"

#include <algorithm>

namespace opledger {
namespace {

using NodeKind = ConditionNode::Kind;
using Op = ConditionOperator;

bool IsPlainVariable(const ConditionNode& node) {
  return node.kind == NodeKind::kMacro || node.kind == NodeKind::kOpaque;
}

bool IsLogical(const ConditionNode& node) {
  return node.kind == NodeKind::kDefined || node.kind == NodeKind::kNot ||
         node.kind == NodeKind::kAnd || node.kind == NodeKind::kOr || IsComparison(node);
}

// Whether the value of a macro enters it otherwise than through a truth value.
bool DependsOnValues(const ConditionTree& tree) {
  if (IsPlainVariable(*tree)) return true;
  if (IsLogical(*tree)) return false;
  return std::any_of(tree->operands.begin(), tree->operands.end(), DependsOnValues);
}

bool HasUnsigned(const ConditionTree& tree) {
  if (tree->kind == NodeKind::kInteger) return tree->value.is_unsigned;
  return std::any_of(tree->operands.begin(), tree->operands.end(), HasUnsigned);
}

ConditionTree AtomFor(const ConditionTree& tree) {
  return IsPlainVariable(*tree) ? tree : Opaque(ConditionText(*tree));
}

// The value of `tree`, which depends on truth values alone.
ConditionTree RelaxValue(const ConditionTree& tree) {
  switch (tree->kind) {
    case NodeKind::kUnary:
      return Unary(tree->op, RelaxValue(tree->operands[0]));
    case NodeKind::kChoice:
      return Choice(RelaxCondition(tree->operands[0]), RelaxValue(tree->operands[1]),
                    RelaxValue(tree->operands[2]));
    case NodeKind::kBinary:
      if (!IsComparison(*tree)) {
        return Binary(tree->op, RelaxValue(tree->operands[0]), RelaxValue(tree->operands[1]));
      }
      return RelaxCondition(tree);
    case NodeKind::kInteger:
      return tree;
    default:
      return RelaxCondition(tree);
  }
}

ConditionTree RelaxComparison(const ConditionTree& tree) {
  const ConditionTree& left = tree->operands[0];
  const ConditionTree& right = tree->operands[1];
  if (!DependsOnValues(left) && !DependsOnValues(right)) {
    return Binary(tree->op, RelaxValue(left), RelaxValue(right));
  }
  // With an unsigned operand, comparing is not what it is for signed numbers.
  if (right->kind == NodeKind::kInteger && !HasUnsigned(left)) {
    return Binary(tree->op, AtomFor(left), right);
  }
  const bool inverse =
      tree->op == Op::kNotEqual || tree->op == Op::kGreaterEqual || tree->op == Op::kLessEqual;
  return inverse ? Negation(AtomFor(Negation(tree))) : AtomFor(tree);
}

std::vector<ConditionTree> RelaxAll(const std::vector<ConditionTree>& trees) {
  std::vector<ConditionTree> relaxed;
  for (const ConditionTree& tree : trees) relaxed.push_back(RelaxCondition(tree));
  return relaxed;
}

}  // namespace

ConditionTree RelaxCondition(const ConditionTree& tree) {
  switch (tree->kind) {
    case NodeKind::kNot:
      return Negation(RelaxCondition(tree->operands[0]));
    case NodeKind::kAnd:
      return Conjunction(RelaxAll(tree->operands));
    case NodeKind::kOr:
      return Disjunction(RelaxAll(tree->operands));
    case NodeKind::kChoice: {
      const std::vector<ConditionTree> parts = RelaxAll(tree->operands);
      return Choice(parts[0], parts[1], parts[2]);
    }
    case NodeKind::kUnary:
      return DependsOnValues(tree) ? AtomFor(tree) : RelaxValue(tree);
    case NodeKind::kBinary:
      if (IsComparison(*tree)) return RelaxComparison(tree);
      return DependsOnValues(tree) ? AtomFor(tree) : RelaxValue(tree);
    default:
      return tree;
  }
}

}  // namespace opledger
