// The functions of two numbers, as formulas of a and b: what CPU and GPU kernels are both made of.
// Who expands them has T, the type of both, and the functions they name, as formulas.h; the GPU has
// those of this file. https://onnx.ai/onnx/operators/ has the formulas.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/float_bits.h"

namespace opledger::arithmetic {

OPLEDGER_ELEMENTARY float Plus(float a, float b) { return a + b; }
OPLEDGER_ELEMENTARY float Minus(float a, float b) { return a - b; }
OPLEDGER_ELEMENTARY float Times(float a, float b) { return a * b; }
OPLEDGER_ELEMENTARY float Quotient(float a, float b) { return a / b; }

}  // namespace opledger::arithmetic

// Of each kernel: its name, its error bound, and its value. One row makes the kernels "cpu" and
// "cuda" and the chains' step; T is any type of numbers, float32 on the GPU.
// clang-format off
#define OPLEDGER_PAIR_FUNCTIONS(FUNCTION) \
  FUNCTION(Add, "0.5 ulp", Plus(a, b)) \
  FUNCTION(Sub, "0.5 ulp", Minus(a, b)) \
  FUNCTION(Mul, "0.5 ulp", Times(a, b)) \
  FUNCTION(Div, "0.5 ulp", Quotient(a, b)) \
  FUNCTION(Max, "exact", Maximum(a, b)) \
  FUNCTION(Min, "exact", Minimum(a, b)) \
  FUNCTION(PRelu, "0.5 ulp", a < T(0) ? Times(a, b) : a)

// The same whose value is a truth value.
#define OPLEDGER_COMPARISONS(FUNCTION) \
  FUNCTION(Equal, "exact", a == b) \
  FUNCTION(NotEqual, "exact", a != b) \
  FUNCTION(Less, "exact", a < b) \
  FUNCTION(LessOrEqual, "exact", a <= b) \
  FUNCTION(Greater, "exact", a > b) \
  FUNCTION(GreaterOrEqual, "exact", a >= b)
// clang-format on
