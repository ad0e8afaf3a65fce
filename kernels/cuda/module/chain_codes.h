// The steps of a chain and their formulas, which are those of the reference. They use functions
// shared by host and device, so that a GPU gives the same bits as the reference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/cpu/formulas/pair_formulas.h"
#include "kernels/cpu/formulas/unary_formulas.h"

namespace opledger::cuda {

// Formulas with an operand: a is the accumulator, b the operand.
// clang-format off
#define OPLEDGER_PAIR_FORMULAS(FUNCTION) \
  FUNCTION(Load, "exact", b) \
  FUNCTION(SubFrom, "0.5 ulp", b - a) \
  FUNCTION(DivInto, "0.5 ulp", b / a) \
  FUNCTION(SavedIfZero, "exact", b != 0 ? a : saved) \
  OPLEDGER_PAIR_FUNCTIONS(FUNCTION) \
  OPLEDGER_COMPARISONS(FUNCTION)
// clang-format on

// Codes are ordered: steps without formulas, formulas with an operand, unary functions.
enum ChainCode : std::uint8_t {
  kSave,
  kAddNumber,  // acc + alpha
  kMulNumber,
  kClip,
  kRoundFloat16,  // like storing and loading
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

// Returns whether a step with this code reads its operand.
OPLEDGER_ELEMENTARY bool ReadsOperand(std::uint8_t code) { return code >= kLoad && code <= kPow; }

}  // namespace opledger::cuda
