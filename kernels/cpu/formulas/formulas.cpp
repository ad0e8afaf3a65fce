// Elementary functions: of float from kernels/arithmetic, of double from the C library.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/formulas/formulas.h"

#include "kernels/arithmetic/elementary/elementary.h"

namespace opledger::function {

#define OPLEDGER_FUNCTION(Name, Shared, name)           \
  float Name(float x) { return arithmetic::Shared(x); } \
  double Name(double x) { return std::name(x); }
OPLEDGER_ELEMENTARY_FUNCTIONS(OPLEDGER_FUNCTION)
#undef OPLEDGER_FUNCTION

float Sigmoid(float x) { return arithmetic::Sigmoid(x); }
double Sigmoid(double x) { return Sigmoid<double>(x); }
float LogSigmoid(float x) { return arithmetic::LogSigmoid(x); }
double LogSigmoid(double x) { return LogSigmoid<double>(x); }
float Softplus(float x) { return arithmetic::Softplus(x); }
double Softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
float Gelu(float x) { return arithmetic::GeluErf(x); }
double Gelu(double x) { return 0.5 * x * std::erfc(-x * 0.70710678118654752440); }
float GeluTanh(float x) { return arithmetic::GeluTanh(x); }
double GeluTanh(double x) { return GeluTanh<double>(x); }
float Silu(float x) { return arithmetic::Silu(x); }
double Silu(double x) { return Silu<double>(x); }
float Mish(float x) { return arithmetic::Mish(x); }
double Mish(double x) { return Mish<double>(x); }

float Pow(float x, float y) { return arithmetic::Pow(x, y); }
double Pow(double x, double y) { return std::pow(x, y); }

}  // namespace opledger::function
