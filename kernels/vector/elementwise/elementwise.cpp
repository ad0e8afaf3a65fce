// Unary kernels: the formulas of kernels/cpu/formulas/unary_formulas.h by loops over rows.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/elementwise/elementwise.h"

#include <limits>
#include <map>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/cpu/formulas/unary_row.h"
#include "kernels/vector/elementwise/row_program.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Apply;
using arithmetic::Pair;
using arithmetic::Unary;

template <Unary kFunction>
void FunctionRow(const float* in, float* out, std::size_t n, float, float) {
  Apply(kFunction, in, out, n);
}

void LeakyReluRow(const float* in, float* out, std::size_t n, float alpha, float) {
  arithmetic::Rows().leaky(in, alpha, out, n);
}

void ClipRow(const float* in, float* out, std::size_t n, float alpha, float beta) {
  arithmetic::Rows().clip(in, alpha, beta, out, n);
}

void HardSigmoidRow(const float* in, float* out, std::size_t n, float alpha, float beta) {
  const double a = alpha, b = beta;  // the product is exact, so that the sum is rounded once
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(a * double{in[i]} + b);
  Apply(Pair::kMin, out, 1, out, n);
  Apply(Pair::kMax, out, 0.0F, out, n);
}

// x * f(x), where f(x) is computed in a separate tile.
template <typename Factor>
void TimesItself(const float* in, float* out, std::size_t n, const Factor& factor) {
  constexpr std::size_t kSome = 1024;
  float tile[kSome];
  for (std::size_t at = 0; at < n; at += kSome) {
    const std::size_t some = std::min(kSome, n - at);
    factor(in + at, tile, some);
    Apply(Pair::kMul, in + at, tile, out + at, some);
  }
}

void HardSwishRow(const float* in, float* out, std::size_t n, float, float) {
  TimesItself(in, out, n, [](const float* x, float* to, std::size_t some) {
    Apply(Pair::kAdd, x, 3, to, some);
    Apply(Pair::kMin, to, 6, to, some);
    Apply(Pair::kMax, to, 0.0F, to, some);
    Apply(Pair::kDiv, to, 6, to, some);
  });
}

void SiluRow(const float* in, float* out, std::size_t n, float alpha, float) {
  if (alpha == 1) return Apply(Unary::kSilu, in, out, n);
  TimesItself(in, out, n, [alpha](const float* x, float* to, std::size_t some) {
    Apply(Pair::kMul, x, alpha, to, some);
    Apply(Unary::kSigmoid, to, to, some);
  });
}

// Columns: kernel, its error bound, its row.
#define OPLEDGER_VECTOR_ROWS(ROW)                             \
  ROW(Abs, "exact", FunctionRow<Unary::kAbs>)                 \
  ROW(Neg, "exact", FunctionRow<Unary::kNegate>)              \
  ROW(Floor, "exact", FunctionRow<Unary::kFloor>)             \
  ROW(Ceil, "exact", FunctionRow<Unary::kCeil>)               \
  ROW(Round, "exact", FunctionRow<Unary::kRoundHalfEven>)     \
  ROW(Sqrt, "0.5 ulp", FunctionRow<Unary::kSqrt>)             \
  ROW(Reciprocal, "0.5 ulp", FunctionRow<Unary::kReciprocal>) \
  ROW(Square, "0.5 ulp", FunctionRow<Unary::kSquare>)         \
  ROW(Exp, "4 ulp", FunctionRow<Unary::kExp>)                 \
  ROW(Expm1, "4 ulp", FunctionRow<Unary::kExpm1>)             \
  ROW(Log, "4 ulp", FunctionRow<Unary::kLog>)                 \
  ROW(Log1p, "4 ulp", FunctionRow<Unary::kLog1p>)             \
  ROW(Sin, "4 ulp", FunctionRow<Unary::kSin>)                 \
  ROW(Cos, "4 ulp", FunctionRow<Unary::kCos>)                 \
  ROW(Tan, "4 ulp", FunctionRow<Unary::kTan>)                 \
  ROW(Asin, "4 ulp", FunctionRow<Unary::kAsin>)               \
  ROW(Acos, "4 ulp", FunctionRow<Unary::kAcos>)               \
  ROW(Atan, "4 ulp", FunctionRow<Unary::kAtan>)               \
  ROW(Sinh, "4 ulp", FunctionRow<Unary::kSinh>)               \
  ROW(Cosh, "4 ulp", FunctionRow<Unary::kCosh>)               \
  ROW(Asinh, "4 ulp", FunctionRow<Unary::kAsinh>)             \
  ROW(Acosh, "4 ulp", FunctionRow<Unary::kAcosh>)             \
  ROW(Atanh, "4 ulp", FunctionRow<Unary::kAtanh>)             \
  ROW(Tanh, "4 ulp", FunctionRow<Unary::kTanh>)               \
  ROW(Erf, "4 ulp", FunctionRow<Unary::kErf>)                 \
  ROW(Sigmoid, "4 ulp", FunctionRow<Unary::kSigmoid>)         \
  ROW(Softplus, "4 ulp", FunctionRow<Unary::kSoftplus>)       \
  ROW(Relu, "exact", FunctionRow<Unary::kRelu>)               \
  ROW(Gelu, "4 ulp", FunctionRow<Unary::kGeluErf>)            \
  ROW(GeluTanh, "4 ulp", FunctionRow<Unary::kGeluTanh>)       \
  ROW(Mish, "4 ulp", FunctionRow<Unary::kMish>)               \
  ROW(LeakyRelu, "4 ulp", LeakyReluRow)                       \
  ROW(HardSigmoid, "1 ulp", HardSigmoidRow)                   \
  ROW(HardSwish, "4 ulp", HardSwishRow)                       \
  ROW(Silu, "4 ulp + 0.75 ulp * |a x| where a is not 1", SiluRow)

template <VectorRow kRow>
Prepared PrepareRow(const Call& call, const char* name) {
  const UnaryFunction& function = *FindUnary(name);
  const auto alpha = static_cast<float>(call.parameters.Number("alpha", function.alpha));
  const auto beta = static_cast<float>(call.parameters.Number("beta", function.beta));
  RowProgram program(call.Input(0));
  program.Then(kRow, program.AddInput(0, call.Input(0)), alpha, beta);
  return program.Prepare();
}

// A bound of Clip: a constant input, or the parameter.
float BoundOf(const Call& call, std::size_t input, const char* parameter, double absent) {
  return call.Has(input) ? LoadNumber(call.Input(input).dtype, call.constants[input], 0)
                         : static_cast<float>(call.parameters.Number(parameter, absent));
}

bool HasUnknownBounds(const Call& call) {
  return (call.Has(1) && call.constants[1] == nullptr) ||
         (call.Has(2) && call.constants[2] == nullptr);
}

// Inputs: x, min (a scalar), max (a scalar); or the parameters min and max.
Prepared PrepareVectorClip(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Clip", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  RowProgram program(call.Input(0));
  program.Then(&ClipRow, program.AddInput(0, call.Input(0)), BoundOf(call, 1, "min", -kInfinity),
               BoundOf(call, 2, "max", kInfinity));
  return program.Prepare();
}

#define OPLEDGER_VECTOR_KERNEL(NAME, BOUND, ROW) \
  OPLEDGER_KERNEL(NAME, "cpu")                   \
      .Types("T", OPLEDGER_VECTOR_FLOATS)        \
      .Accumulates(Dtype::kFloat32)              \
      .ErrorBound(BOUND)                         \
      .By("vector")                              \
      .Run([](const Call& call) { return PrepareRow<&(ROW)>(call, #NAME); });
OPLEDGER_VECTOR_ROWS(OPLEDGER_VECTOR_KERNEL)
#undef OPLEDGER_VECTOR_KERNEL
OPLEDGER_KERNEL(Clip, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .ErrorBound("exact")
    .Refuses("its bounds are computed at run time", &HasUnknownBounds)
    .By("vector")
    .Run(&PrepareVectorClip);

}  // namespace

VectorRow FindVectorRow(std::string_view kernel) {
  static const std::map<std::string_view, VectorRow> kRows = {
#define OPLEDGER_NAMED_ROW(NAME, BOUND, ROW) {#NAME, &(ROW)},
      OPLEDGER_VECTOR_ROWS(OPLEDGER_NAMED_ROW)
#undef OPLEDGER_NAMED_ROW
          {"Clip", &ClipRow},
  };
  const auto found = kRows.find(kernel);
  return found == kRows.end() ? nullptr : found->second;
}

}  // namespace opledger
