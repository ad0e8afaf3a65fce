// Writes canonical expressions as text, with parentheses only where C needs them.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <limits>

#include "registry/condition/tree.h"

namespace opledger {
namespace {

using NodeKind = ConditionNode::Kind;
using Op = ConditionOperator;

struct Spelling {
  const char* text;
  int precedence;  // greater binds tighter
};

constexpr int kChoicePrecedence = 2;
constexpr int kOrPrecedence = 3;
constexpr int kAndPrecedence = 4;
constexpr int kUnaryPrecedence = 13;
constexpr int kPrimaryPrecedence = 14;

Spelling SpellingOf(Op op) {
  switch (op) {
    case Op::kComma:
      return {", ", 1};
    case Op::kBitOr:
      return {" | ", 5};
    case Op::kBitXor:
      return {" ^ ", 6};
    case Op::kBitAnd:
      return {" & ", 7};
    case Op::kEqual:
      return {" == ", 8};
    case Op::kNotEqual:
      return {" != ", 8};
    case Op::kLess:
      return {" < ", 9};
    case Op::kLessEqual:
      return {" <= ", 9};
    case Op::kGreater:
      return {" > ", 9};
    case Op::kGreaterEqual:
      return {" >= ", 9};
    case Op::kShiftLeft:
      return {" << ", 10};
    case Op::kShiftRight:
      return {" >> ", 10};
    case Op::kAdd:
      return {" + ", 11};
    case Op::kSubtract:
      return {" - ", 11};
    case Op::kMultiply:
      return {" * ", 12};
    case Op::kDivide:
      return {" / ", 12};
    case Op::kRemainder:
      return {" % ", 12};
    case Op::kMinus:
      return {"-", kUnaryPrecedence};
    case Op::kComplement:
      return {"~", kUnaryPrecedence};
  }
  std::abort();
}

int Precedence(const ConditionNode& node) {
  switch (node.kind) {
    case NodeKind::kAnd:
      return kAndPrecedence;
    case NodeKind::kOr:
      return kOrPrecedence;
    case NodeKind::kNot:
      return kUnaryPrecedence;
    case NodeKind::kChoice:
      return kChoicePrecedence;
    case NodeKind::kUnary:
    case NodeKind::kBinary:
      return SpellingOf(node.op).precedence;
    default:
      return kPrimaryPrecedence;
  }
}

std::string IntegerText(ConditionInteger value) {
  if (value.is_unsigned) return std::to_string(value.bits) + "u";
  const auto number = static_cast<std::int64_t>(value.bits);
  // The minimum has no literal: -9223372036854775808 negates an unsigned number.
  if (number == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)";
  return std::to_string(number);
}

void Append(const ConditionNode& node, int minimum_precedence, std::string& out);

void AppendJoined(const ConditionNode& node, const char* separator, std::string& out) {
  const int precedence = Precedence(node) + 1;
  for (const ConditionTree& operand : node.operands) {
    if (&operand != &node.operands.front()) out += separator;
    Append(*operand, precedence, out);
  }
}

void AppendBare(const ConditionNode& node, std::string& out) {
  const int precedence = Precedence(node);
  switch (node.kind) {
    case NodeKind::kInteger:
      out += IntegerText(node.value);
      return;
    case NodeKind::kMacro:
    case NodeKind::kOpaque:
      out += node.name;
      return;
    case NodeKind::kDefined:
      out += "defined(" + node.name + ")";
      return;
    case NodeKind::kAnd:
      AppendJoined(node, " && ", out);
      return;
    case NodeKind::kOr:
      AppendJoined(node, " || ", out);
      return;
    case NodeKind::kNot:
      out += "!";
      Append(*node.operands[0], kUnaryPrecedence, out);
      return;
    case NodeKind::kUnary:
      out += SpellingOf(node.op).text;
      // Writes "- -A", because "--" is a different token.
      if (node.operands[0]->kind == NodeKind::kUnary && node.operands[0]->op == node.op) out += " ";
      Append(*node.operands[0], kUnaryPrecedence, out);
      return;
    case NodeKind::kBinary:
      Append(*node.operands[0], precedence, out);
      out += SpellingOf(node.op).text;
      Append(*node.operands[1], precedence + 1, out);
      return;
    case NodeKind::kChoice:
      Append(*node.operands[0], kChoicePrecedence + 1, out);
      out += " ? ";
      Append(*node.operands[1], kChoicePrecedence, out);
      out += " : ";
      Append(*node.operands[2], kChoicePrecedence, out);
      return;
  }
}

void Append(const ConditionNode& node, int minimum_precedence, std::string& out) {
  const bool enclose = Precedence(node) < minimum_precedence;
  if (enclose) out += "(";
  AppendBare(node, out);
  if (enclose) out += ")";
}

}  // namespace

std::string ConditionText(const ConditionNode& node) {
  std::string out;
  Append(node, 0, out);
  return out;
}

}  // namespace opledger
