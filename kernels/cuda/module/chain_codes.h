// The steps that a chain can take, and what each computes: the formulas of the reference, on the
// functions that host and device share, so that a GPU gives the reference's bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/cpu/formulas/pair_formulas.h"
#include "kernels/cpu/formulas/unary_formulas.h"

namespace opledger::cuda {

// Steps of two numbers: a, what the chain has computed, and an operand b.
// clang-format off
#define OPLEDGER_PAIR_FORMULAS(FUNCTION) \
  FUNCTION(Load, "exact", b) \
  FUNCTION(SubFrom, "0.5 ulp", b - a) \
  FUNCTION(DivInto, "0.5 ulp", b / a) \
  FUNCTION(SavedIfZero, "exact", b != 0 ? a : saved) \
  OPLEDGER_PAIR_FUNCTIONS(FUNCTION) \
  OPLEDGER_COMPARISONS(FUNCTION)
// clang-format on

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
