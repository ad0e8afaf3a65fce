// The functions of elementary.h that unary.h applies to arrays, in the order of its enumeration.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define OPLEDGER_UNARY_LIST(X)                                                                     \
  X(Abs)                                                                                           \
  X(Negate)                                                                                        \
  X(Sign)                                                                                          \
  X(Relu)                                                                                          \
  X(Square) X(Sqrt) X(Rsqrt) X(Reciprocal) X(Cbrt) X(Floor) X(Ceil) X(Trunc) X(RoundHalfEven)      \
      X(RoundHalfAway) X(Exp) X(Exp2) X(Expm1) X(Log) X(Log2) X(Log10) X(Log1p) X(Sin) X(Cos)      \
          X(Tan) X(Asin) X(Acos) X(Atan) X(Sinh) X(Cosh) X(Tanh) X(Asinh) X(Acosh) X(Atanh) X(Erf) \
              X(Erfc) X(Sigmoid) X(LogSigmoid) X(Softplus) X(Softsign) X(Silu) X(Mish) X(GeluErf)  \
                  X(GeluTanh)
