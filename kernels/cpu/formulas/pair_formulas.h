// Functions of two arguments, as formulas of a and b, from which both CPU and GPU kernels are made.
// Where they are expanded, T is the type of both, and the functions that they name are defined, by
// formulas.h or, on the GPU, by this file. https://onnx.ai/onnx/operators/ has the formulas.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/float_bits.h"

namespace opledger::arithmetic {

OPLEDGER_ELEMENTARY float Plus(float a, float b) { return a + b; }
OPLEDGER_ELEMENTARY float Minus(float a, float b) { return a - b; }
OPLEDGER_ELEMENTARY float Times(float a, float b) { return a * b; }
OPLEDGER_ELEMENTARY float Quotient(float a, float b) { return a / b; }

}  // namespace opledger::arithmetic

// Columns: kernel, error bound, value. A row defines the kernels "cpu" and "cuda" and a step of
// chains. T is any numeric type, float32 on the GPU.
// clang-format off
#define OPLEDGER_PAIR_FUNCTIONS(FUNCTION) \
  FUNCTION(Add, "0.5 ulp", Plus(a, b)) \
  FUNCTION(Sub, "0.5 ulp", Minus(a, b)) \
  FUNCTION(Mul, "0.5 ulp", Times(a, b)) \
  FUNCTION(Div, "0.5 ulp", Quotient(a, b)) \
  FUNCTION(Max, "exact", Maximum(a, b)) \
  FUNCTION(Min, "exact", Minimum(a, b)) \
  FUNCTION(PRelu, "0.5 ulp", a < T(0) ? Times(a, b) : a)

// Same columns, for functions with a bool value.
#define OPLEDGER_COMPARISONS(FUNCTION) \
  FUNCTION(Equal, "exact", a == b) \
  FUNCTION(NotEqual, "exact", a != b) \
  FUNCTION(Less, "exact", a < b) \
  FUNCTION(LessOrEqual, "exact", a <= b) \
  FUNCTION(Greater, "exact", a > b) \
  FUNCTION(GreaterOrEqual, "exact", a >= b)
// clang-format on
