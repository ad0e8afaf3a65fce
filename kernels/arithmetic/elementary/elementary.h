// Elementary functions of float32 with the same bits from every compiler, processor and GPU. In: a
// scalar; out: the function's value, computed in steps that are each rounded once. No function of
// libm is called, since implementations round differently. For arrays, loops.h is many times
// faster: files that include this header are compiled for the base instruction set, where a fused
// multiply-add without an FMA instruction takes 15 instructions.
//   float y = GeluErf(x);    in .cpp and .cu files alike (nvcc: --fmad=false, and no --ftz)
// May include: nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/activation.h"
#include "kernels/arithmetic/elementary/error_function.h"
#include "kernels/arithmetic/elementary/exponential.h"
#include "kernels/arithmetic/elementary/hyperbolic.h"
#include "kernels/arithmetic/elementary/inverse_trigonometric.h"
#include "kernels/arithmetic/elementary/logarithm.h"
#include "kernels/arithmetic/elementary/power.h"
#include "kernels/arithmetic/elementary/rounding.h"
#include "kernels/arithmetic/elementary/trigonometric.h"

// Errors: the bounds in unary_list.h, also for subnormal results and results close to overflow.
// Functions of two arguments: Pow 3 units in the last place (largest seen: 2.4); Minimum, Maximum
// and Fmod are exact. All functions need rounding to nearest and subnormals enabled.
//
// Special values: a NaN gives NaN (but Pow(1, NaN) = Pow(NaN, 0) = 1, as in C). An odd function
// keeps the sign of zero. Overflow gives infinity and underflow 0, wherever the exact result would
// round to it within the bound.
//   Exp, Exp2        -inf: 0; inf: inf
//   Expm1            -inf: -1; inf: inf
//   Log, Log2, Log10 +-0: -inf; below 0: NaN; inf: inf
//   Log1p            -1: -inf; below: NaN; inf: inf
//   Sin, Cos, Tan    +-inf: NaN; every finite angle is reduced exactly
//   Asin, Acos       beyond +-1: NaN
//   Atan             +-inf: +-pi/2
//   Sinh, Cosh       +-inf: +-inf, inf
//   Tanh, Erf        +-inf: +-1
//   Erfc             inf: 0; -inf: 2
//   Asinh            +-inf: +-inf
//   Acosh            below 1: NaN; inf: inf
//   Atanh            +-1: +-inf; beyond: NaN
//   Sigmoid          -inf: 0; inf: 1
//   Softplus         -inf: 0; inf: inf
//   LogSigmoid       -inf: -inf; inf: -0
//   Softsign         +-inf: NaN (as x / (1 + |x|) in every framework)
//   Silu, Mish, GeluErf, GeluTanh   -inf: -0, the limit; inf: inf
//   Sqrt             -0: -0; below 0: NaN
//   Rsqrt            +-0: +-inf; below 0: NaN; inf: 0
//   Reciprocal       +-0: +-inf; +-inf: +-0
//   Cbrt             +-inf: +-inf
//   Sign             NaN: NaN; +-0: itself
//   Relu             -0: +0
//   Floor to RoundHalfAway   infinities and zeros: unchanged; a zero has the argument's sign
//   Minimum, Maximum IEEE 754-2019: a NaN if either is one; -0 is less than +0
//   Fmod             the sign of the first; 0 as second or infinity as first: NaN
