// Of float: kernels/arithmetic. Of double: the C library.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/formulas/formulas.h"

#include "kernels/arithmetic/elementary/elementary.h"

namespace opledger::function {

#define OPLEDGER_FUNCTION(Name, Shared, name)           \
  float Name(float x) { return arithmetic::Shared(x); } \
  double Name(double x) { return std::name(x); }

OPLEDGER_FUNCTION(Exp, Exp, exp)
OPLEDGER_FUNCTION(Expm1, Expm1, expm1)
OPLEDGER_FUNCTION(Log, Log, log)
OPLEDGER_FUNCTION(Log1p, Log1p, log1p)
OPLEDGER_FUNCTION(Log2, Log2, log2)
OPLEDGER_FUNCTION(Log10, Log10, log10)
OPLEDGER_FUNCTION(Tanh, Tanh, tanh)
OPLEDGER_FUNCTION(Erf, Erf, erf)
OPLEDGER_FUNCTION(Sin, Sin, sin)
OPLEDGER_FUNCTION(Cos, Cos, cos)
OPLEDGER_FUNCTION(Tan, Tan, tan)
OPLEDGER_FUNCTION(Asin, Asin, asin)
OPLEDGER_FUNCTION(Acos, Acos, acos)
OPLEDGER_FUNCTION(Atan, Atan, atan)
OPLEDGER_FUNCTION(Sinh, Sinh, sinh)
OPLEDGER_FUNCTION(Cosh, Cosh, cosh)
OPLEDGER_FUNCTION(Asinh, Asinh, asinh)
OPLEDGER_FUNCTION(Acosh, Acosh, acosh)
OPLEDGER_FUNCTION(Atanh, Atanh, atanh)
OPLEDGER_FUNCTION(Sqrt, Sqrt, sqrt)
OPLEDGER_FUNCTION(Floor, Floor, floor)
OPLEDGER_FUNCTION(Ceil, Ceil, ceil)
OPLEDGER_FUNCTION(RoundEven, RoundHalfEven, nearbyint)
OPLEDGER_FUNCTION(RoundHalfAway, RoundHalfAway, round)
OPLEDGER_FUNCTION(Trunc, Trunc, trunc)
OPLEDGER_FUNCTION(Cbrt, Cbrt, cbrt)
#undef OPLEDGER_FUNCTION

float Sigmoid(float x) { return arithmetic::Sigmoid(x); }
double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
float LogSigmoid(float x) { return arithmetic::LogSigmoid(x); }
double LogSigmoid(double x) { return -Softplus(-x); }
float Softplus(float x) { return arithmetic::Softplus(x); }
double Softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
float Gelu(float x) { return arithmetic::GeluErf(x); }
double Gelu(double x) { return 0.5 * x * std::erfc(-x * 0.70710678118654752440); }
float GeluTanh(float x) { return arithmetic::GeluTanh(x); }
double GeluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}
float Silu(float x) { return arithmetic::Silu(x); }
double Silu(double x) { return x * Sigmoid(x); }
float Mish(float x) { return arithmetic::Mish(x); }
double Mish(double x) { return x * std::tanh(Softplus(x)); }

float Pow(float x, float y) { return arithmetic::Pow(x, y); }
double Pow(double x, double y) { return std::pow(x, y); }

}  // namespace opledger::function
