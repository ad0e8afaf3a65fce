// Evaluates operators on integers, pointers to items, and strings.
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

// Computes without overflow, for operands of at most 64 bits. Returns nullopt if the result is
// undefined or the operator is not supported.
std::optional<__int128> Calculate(clang::BinaryOperatorKind kind, __int128 a, __int128 b) {
  switch (kind) {
    case clang::BO_Add:
      return a + b;
    case clang::BO_Sub:
      return a - b;
    case clang::BO_Mul:
      return a * b;
    case clang::BO_Div:
      return b == 0 ? std::nullopt : std::optional(a / b);
    case clang::BO_Rem:
      return b == 0 ? std::nullopt : std::optional(a % b);
    case clang::BO_And:
      return a & b;
    case clang::BO_Or:
      return a | b;
    case clang::BO_Xor:
      return a ^ b;
    case clang::BO_Shl:
      return b < 0 || b > 63 ? std::nullopt : std::optional(a << b);
    case clang::BO_Shr:
      return b < 0 || b > 63 ? std::nullopt : std::optional(a >> b);
    default:
      return std::nullopt;
  }
}

}  // namespace

Cell Interpreter::Arithmetic(clang::BinaryOperatorKind kind, const Value& left, const Value& right,
                             clang::QualType type) {
  if (left.Is(ValueKind::kNumber) && right.Is(ValueKind::kPointer) && kind == clang::BO_Add) {
    return Arithmetic(kind, right, left, type);
  }
  if (left.Is(ValueKind::kPointer) && !left.to_item && kind == clang::BO_Add &&
      right.Is(ValueKind::kNumber) && right.number == 0) {
    return NewCell(left);
  }
  const bool moves = kind == clang::BO_Add || kind == clang::BO_Sub;
  if (left.Is(ValueKind::kPointer) && left.to_item && moves && !right.Is(ValueKind::kPointer)) {
    Value moved = left;
    moved.anywhere = left.anywhere || !right.Is(ValueKind::kNumber);
    moved.number += kind == clang::BO_Add ? right.number : -right.number;
    return NewCell(std::move(moved));
  }
  if (left.Is(ValueKind::kPointer) && right.Is(ValueKind::kPointer) &&
      left.target == right.target && !left.anywhere && !right.anywhere) {
    if (kind == clang::BO_Sub) return NewCell(Number(left.number - right.number));
    const auto ordered = Compare(kind, left.number, right.number);
    if (ordered) return NewCell(Number(*ordered));
  }
  // Advances a pointer to characters.
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
    for (const Value* operand : {&left, &right}) {
      if (kind == clang::BO_Add || kind == clang::BO_Sub) LosePointees(*operand);
    }
    return Unknown("an operand is unknown");
  }
  const auto truth = type->isUnsignedIntegerType()
                         ? Compare(kind, static_cast<std::uint64_t>(left.number),
                                   static_cast<std::uint64_t>(right.number))
                         : Compare(kind, left.number, right.number);
  if (truth) return NewCell(Number(*truth));
  if (!type->isIntegralOrEnumerationType()) return Unknown("an operation cannot be followed");
  const bool is_signed = type->isSignedIntegerOrEnumerationType();
  auto wide = [is_signed](long long number) {
    return is_signed ? static_cast<__int128>(number)
                     : static_cast<__int128>(static_cast<std::uint64_t>(number));
  };
  const bool shift = kind == clang::BO_Shl || kind == clang::BO_Shr;
  const bool outside = shift && right.number >= static_cast<long long>(context_.getIntWidth(type));
  const std::optional<__int128> result =
      Calculate(kind, wide(left.number), shift ? right.number : wide(right.number));
  if (!result || outside) return Unknown("an operation cannot be followed");
  const long long held = InType(static_cast<long long>(*result), type);
  if (is_signed && held != *result) return Unknown("an operation overflows");
  return NewCell(Number(held));
}

}  // namespace opledger::scan::ast
