// The steps that a chain can take, and what each computes: the formulas of the reference, on the
// functions that host and device share, so that a GPU gives the reference's bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/cpu/formulas/unary_formulas.h"

namespace opledger::cuda {

// Steps of two numbers: acc, and an operand x.
#define OPLEDGER_PAIR_FORMULAS(FUNCTION)           \
  FUNCTION(Load, x)                                \
  FUNCTION(Add, acc + x)                           \
  FUNCTION(Sub, acc - x)                           \
  FUNCTION(SubFrom, x - acc)                       \
  FUNCTION(Mul, acc* x)                            \
  FUNCTION(Div, acc / x)                           \
  FUNCTION(DivInto, x / acc)                       \
  FUNCTION(Max, arithmetic::Maximum(acc, x))       \
  FUNCTION(Min, arithmetic::Minimum(acc, x))       \
  FUNCTION(PRelu, acc < 0 ? acc * x : acc)         \
  FUNCTION(Equal, acc == x ? 1.0F : 0.0F)          \
  FUNCTION(Less, acc < x ? 1.0F : 0.0F)            \
  FUNCTION(LessOrEqual, acc <= x ? 1.0F : 0.0F)    \
  FUNCTION(Greater, acc > x ? 1.0F : 0.0F)         \
  FUNCTION(GreaterOrEqual, acc >= x ? 1.0F : 0.0F) \
  FUNCTION(SavedIfZero, x != 0 ? acc : saved)

// The codes' order: plain ones, pairs, then functions of one number.
enum ChainCode : std::uint8_t {
  kSave,
  kAddNumber,  // acc + alpha
  kMulNumber,
  kClip,
  kRoundFloat16,  // as storing and reading it would
  kRoundBfloat16,
#define OPLEDGER_CODE(NAME, ...) k##NAME,
  OPLEDGER_PAIR_FORMULAS(OPLEDGER_CODE)
#undef OPLEDGER_CODE
      kPow,
#define OPLEDGER_CODE(NAME, ...) kUnary##NAME,
  OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_CODE)
#undef OPLEDGER_CODE
      kChainCodes
};

// Whether a step of that code reads its operand.
OPLEDGER_ELEMENTARY bool ReadsOperand(std::uint8_t code) { return code >= kLoad && code <= kPow; }

}  // namespace opledger::cuda
