// The functions of elementary.h that loops.h applies to arrays, in the order of its enumeration.
// Each has an error bound in units in the last place, which is above the largest error that
// tests/kernels/arithmetic/ulp_error.cpp found among every 601st float32, and for Exp, Log, Asin,
// Tanh, Erf, Erfc, Sigmoid, Softplus and Silu among all from 2^-3 to 2^7 and their negatives. 0:
// exact; 0.5: correctly rounded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#define OPLEDGER_UNARY_LIST(X) \
  OPLEDGER_ANGLE_LIST(X) \
  OPLEDGER_PLAIN_LIST(X)

// Functions of angles, which are reduced by one of two methods.
#define OPLEDGER_ANGLE_LIST(X) \
  X(Sin, 2) \
  X(Cos, 2) \
  X(Tan, 4.25)

#define OPLEDGER_PLAIN_LIST(X) \
  X(Abs, 0) \
  X(Negate, 0) \
  X(Sign, 0) \
  X(Relu, 0) \
  X(Square, 0.5) \
  X(Sqrt, 0.5) \
  X(Rsqrt, 1.5) \
  X(Reciprocal, 0.5) \
  X(Cbrt, 0.75) \
  X(Floor, 0) \
  X(Ceil, 0) \
  X(Trunc, 0) \
  X(RoundHalfEven, 0) \
  X(RoundHalfAway, 0) \
  X(Exp, 1.25) \
  X(Exp2, 1.25) \
  X(Expm1, 1.75) \
  X(Log, 1) \
  X(Log2, 1.25) \
  X(Log10, 1) \
  X(Log1p, 1) \
  X(Asin, 2.25) \
  X(Acos, 1.5) \
  X(Atan, 1.5) \
  X(Sinh, 2) \
  X(Cosh, 1.75) \
  X(Tanh, 1.5) \
  X(Asinh, 2) \
  X(Acosh, 2) \
  X(Atanh, 2.5) \
  X(Erf, 1.25) \
  X(Erfc, 4.25) \
  X(Sigmoid, 1.75) \
  X(LogSigmoid, 2) \
  X(Softplus, 2) \
  X(Softsign, 1.5) \
  X(Silu, 2.75) \
  X(Mish, 4.25) \
  X(GeluErf, 4.5) \
  X(GeluTanh, 3.5)
// clang-format on
