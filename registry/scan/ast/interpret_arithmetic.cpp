// Operators on numbers, pointers to items, and strings.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {
namespace {

using ValueKind = Value::Kind;

template <typename Number>
std::optional<long long> Compare(clang::BinaryOperatorKind kind, Number left, Number right) {
  switch (kind) {
    case clang::BO_LT:
      return left < right;
    case clang::BO_GT:
      return left > right;
    case clang::BO_LE:
      return left <= right;
    case clang::BO_GE:
      return left >= right;
    case clang::BO_EQ:
      return left == right;
    case clang::BO_NE:
      return left != right;
    default:
      return std::nullopt;
  }
}

// In the width of the result; none: undefined, or not followed.
std::optional<long long> Calculate(clang::BinaryOperatorKind kind, long long left, long long right,
                                   bool is_signed) {
  const auto a = static_cast<std::uint64_t>(left);
  const auto b = static_cast<std::uint64_t>(right);
  auto both = [](std::uint64_t value) { return static_cast<long long>(value); };
  switch (kind) {
    case clang::BO_Add:
      return both(a + b);
    case clang::BO_Sub:
      return both(a - b);
    case clang::BO_Mul:
      return both(a * b);
    case clang::BO_Div:
      if (right == 0 || right == -1) return std::nullopt;
      return is_signed ? left / right : both(a / b);
    case clang::BO_Rem:
      if (right == 0 || right == -1) return std::nullopt;
      return is_signed ? left % right : both(a % b);
    case clang::BO_And:
      return both(a & b);
    case clang::BO_Or:
      return both(a | b);
    case clang::BO_Xor:
      return both(a ^ b);
    case clang::BO_Shl:
      return b < 64 ? std::optional(both(a << b)) : std::nullopt;
    case clang::BO_Shr:
      return b < 64 ? std::optional(is_signed ? left >> b : both(a >> b)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

Cell Interpreter::Arithmetic(clang::BinaryOperatorKind kind, const Value& left, const Value& right,
                             clang::QualType type) {
  if (left.Is(ValueKind::kPointer) && left.to_item && right.Is(ValueKind::kNumber)) {
    if (kind == clang::BO_Add)
      return NewCell(PointerToItem(left.target, left.number + right.number));
    if (kind == clang::BO_Sub)
      return NewCell(PointerToItem(left.target, left.number - right.number));
  }
  if (left.Is(ValueKind::kPointer) && right.Is(ValueKind::kPointer) &&
      left.target == right.target) {
    if (kind == clang::BO_Sub) return NewCell(Number(left.number - right.number));
    const auto ordered = Compare(kind, left.number, right.number);
    if (ordered) return NewCell(Number(*ordered));
  }
  // A pointer to characters, moved on.
  const bool whole =
      right.Is(ValueKind::kNumber) && right.number >= 0 && right.number <= std::ssize(left.text);
  if (left.Is(ValueKind::kString) && whole && kind == clang::BO_Add) {
    return NewCell(Text(left.text.substr(static_cast<std::size_t>(right.number))));
  }
  const bool null = right.Is(ValueKind::kNumber) && right.number == 0 &&
                    (left.Is(ValueKind::kPointer) || left.Is(ValueKind::kString) ||
                     left.Is(ValueKind::kFunction));
  if (null && (kind == clang::BO_EQ || kind == clang::BO_NE)) {
    return NewCell(Number(kind == clang::BO_NE));
  }
  if (!left.Is(ValueKind::kNumber) || !right.Is(ValueKind::kNumber)) {
    return Unknown("an operand is unknown");
  }
  const auto truth = type->isUnsignedIntegerType()
                         ? Compare(kind, static_cast<std::uint64_t>(left.number),
                                   static_cast<std::uint64_t>(right.number))
                         : Compare(kind, left.number, right.number);
  if (truth) return NewCell(Number(*truth));
  const bool is_signed = type->isSignedIntegerOrEnumerationType();
  std::optional<long long> result = Calculate(kind, left.number, right.number, is_signed);
  if (!result) return Unknown("an operation cannot be followed");
  if (type->isIntegralOrEnumerationType() && context_.getIntWidth(type) == 32) {
    result = is_signed ? static_cast<long long>(static_cast<std::int32_t>(*result))
                       : static_cast<long long>(static_cast<std::uint32_t>(*result));
  }
  return NewCell(Number(*result));
}

}  // namespace opledger::scan::ast
