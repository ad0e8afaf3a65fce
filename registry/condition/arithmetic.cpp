// Preprocessor arithmetic; see arithmetic.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/arithmetic.h"

#include <cstdlib>

namespace opledger {
namespace {

using Op = ConditionOperator;

std::int64_t Signed(ConditionInteger value) { return static_cast<std::int64_t>(value.bits); }

bool IsNegative(ConditionInteger value) { return !value.is_unsigned && Signed(value) < 0; }

ConditionInteger Truth(bool value) { return {value ? 1u : 0u, false}; }

ConditionInteger ShiftRight(ConditionInteger value, std::uint64_t count) {
  const std::uint64_t fill = IsNegative(value) ? ~std::uint64_t{0} : 0;
  if (count >= 64) return {fill, value.is_unsigned};
  if (count == 0) return value;
  return {(value.bits >> count) | (fill << (64 - count)), value.is_unsigned};
}

ConditionInteger ShiftLeft(ConditionInteger value, std::uint64_t count) {
  return {count >= 64 ? 0 : value.bits << count, value.is_unsigned};
}

// A negative count shifts the other way, as in GCC.
ConditionInteger Shift(ConditionInteger value, ConditionInteger count, bool left) {
  std::uint64_t distance = count.bits;
  if (IsNegative(count)) {
    distance = 0 - distance;
    left = !left;
  }
  return left ? ShiftLeft(value, distance) : ShiftRight(value, distance);
}

std::optional<ConditionInteger> Divide(ConditionInteger left, ConditionInteger right,
                                       bool is_unsigned, bool remainder) {
  if (right.bits == 0) return std::nullopt;
  if (is_unsigned) {
    return ConditionInteger{remainder ? left.bits % right.bits : left.bits / right.bits, true};
  }
  if (Signed(right) == -1) return ConditionInteger{remainder ? 0 : 0 - left.bits, false};
  const std::int64_t result =
      remainder ? Signed(left) % Signed(right) : Signed(left) / Signed(right);
  return ConditionInteger{static_cast<std::uint64_t>(result), false};
}

bool Less(ConditionInteger left, ConditionInteger right, bool is_unsigned) {
  return is_unsigned ? left.bits < right.bits : Signed(left) < Signed(right);
}

}  // namespace

std::optional<ConditionInteger> ApplyBinary(Op op, ConditionInteger left, ConditionInteger right) {
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  const auto integer = [&](std::uint64_t bits) { return ConditionInteger{bits, is_unsigned}; };
  switch (op) {
    case Op::kComma:
      return right;
    case Op::kBitOr:
      return integer(left.bits | right.bits);
    case Op::kBitXor:
      return integer(left.bits ^ right.bits);
    case Op::kBitAnd:
      return integer(left.bits & right.bits);
    case Op::kEqual:
      return Truth(left.bits == right.bits);
    case Op::kNotEqual:
      return Truth(left.bits != right.bits);
    case Op::kLess:
      return Truth(Less(left, right, is_unsigned));
    case Op::kLessEqual:
      return Truth(!Less(right, left, is_unsigned));
    case Op::kGreater:
      return Truth(Less(right, left, is_unsigned));
    case Op::kGreaterEqual:
      return Truth(!Less(left, right, is_unsigned));
    case Op::kShiftLeft:
      return Shift(left, right, true);
    case Op::kShiftRight:
      return Shift(left, right, false);
    case Op::kAdd:
      return integer(left.bits + right.bits);
    case Op::kSubtract:
      return integer(left.bits - right.bits);
    case Op::kMultiply:
      return integer(left.bits * right.bits);
    case Op::kDivide:
      return Divide(left, right, is_unsigned, false);
    case Op::kRemainder:
      return Divide(left, right, is_unsigned, true);
    case Op::kMinus:
    case Op::kComplement:
      break;
  }
  std::abort();  // unary operators do not have two operands
}

ConditionInteger ApplyUnary(Op op, ConditionInteger operand) {
  return {op == Op::kMinus ? 0 - operand.bits : ~operand.bits, operand.is_unsigned};
}

}  // namespace opledger
