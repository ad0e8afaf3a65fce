// One number in, one out: activations and functions. Where an operator has parameters they are
// alpha and beta. https://onnx.ai/onnx/operators/ has the formulas.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <map>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/core/kernel.h"
#include "kernels/cpu/formulas/functions.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/formulas/unary_formulas.h"
#include "kernels/cpu/formulas/unary_row.h"

namespace opledger {
namespace {

using namespace function;  // NOLINT(google-build-using-namespace): the formulas are to be readable

#define OPLEDGER_UNARY(NAME, ALPHA, BETA, VALUE)                   \
  struct NAME##Function {                                          \
    static constexpr double kAlpha = ALPHA;                        \
    static constexpr double kBeta = BETA;                          \
    template <typename T>                                          \
    static T Of(T x, [[maybe_unused]] T a, [[maybe_unused]] T b) { \
      return VALUE;                                                \
    }                                                              \
  };
OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_UNARY)
#undef OPLEDGER_UNARY

template <typename Function, typename V>
void RunUnaryRow(void* numbers, std::size_t count, double alpha, double beta) {
  auto* all = static_cast<V*>(numbers);
  const V a = static_cast<V>(alpha);
  const V b = static_cast<V>(beta);
  for (std::size_t i = 0; i < count; ++i) all[i] = Function::Of(all[i], a, b);
}

// A tile at a time: made float32, computed, rounded.
void RunUnary(Dtype dtype, UnaryRow row, const void* in, void* out, std::size_t count, double alpha,
              double beta) {
  constexpr std::size_t kTile = 1024;
  float tile[kTile];
  const std::size_t size = ElementSize(dtype);
  for (std::size_t at = 0; at < count; at += kTile) {
    const std::size_t some = std::min(kTile, count - at);
    arithmetic::Widen(dtype, static_cast<const std::byte*>(in) + at * size, tile, some);
    row(tile, some, alpha, beta);
    arithmetic::Narrow(tile, dtype, static_cast<std::byte*>(out) + at * size, some);
  }
}

Prepared UnaryCall(const Call& call, UnaryRow row, UnaryRow wide, double alpha, double beta) {
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  const Dtype dtype = call.Input(0).dtype;
  const std::size_t count = Elements(call.Shape(0));
  prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
    if (dtype != Dtype::kFloat64) {
      return RunUnary(dtype, row, inputs[0], outputs[0], count, alpha, beta);
    }
    if (count != 0) std::memcpy(outputs[0], inputs[0], count * sizeof(double));
    wide(outputs[0], count, alpha, beta);
  };
  return prepared;
}

template <typename Function, int kParameters>
Prepared PrepareUnary(const Call& call) {
  double alpha = Function::kAlpha;
  double beta = Function::kBeta;
  if (kParameters > 0) alpha = call.parameters.Number("alpha", alpha);
  if (kParameters > 1) beta = call.parameters.Number("beta", beta);
  return UnaryCall(call, &RunUnaryRow<Function, float>, &RunUnaryRow<Function, double>, alpha,
                   beta);
}

// What the formula says of `a` and `b` is what the kernel reads.
#define OPLEDGER_UNARY_WITH(NAME, BOUND, COUNT, READS)                                      \
  OPLEDGER_KERNEL(NAME, "cpu")                                                              \
      .Types("T", OPLEDGER_FLOATS)                                                          \
      .Accumulates(Dtype::kFloat32)                                                         \
      .ErrorBound(BOUND) READS /* NOLINT(bugprone-macro-parentheses): calls, not a value */ \
      .Run(&PrepareUnary<NAME##Function, COUNT>);
#define OPLEDGER_NO_READS
#define OPLEDGER_UNARY(NAME, BOUND) OPLEDGER_UNARY_WITH(NAME, BOUND, 0, OPLEDGER_NO_READS)
#define OPLEDGER_UNARY_OF_ONE(NAME, BOUND) OPLEDGER_UNARY_WITH(NAME, BOUND, 1, .Reads("alpha"))
#define OPLEDGER_UNARY_OF_TWO(NAME, BOUND) \
  OPLEDGER_UNARY_WITH(NAME, BOUND, 2, .Reads("alpha").Reads("beta"))
OPLEDGER_UNARY(Abs, "exact")
OPLEDGER_UNARY(Neg, "exact")
OPLEDGER_UNARY(Sign, "exact")
OPLEDGER_UNARY(Floor, "exact")
OPLEDGER_UNARY(Ceil, "exact")
OPLEDGER_UNARY(Round, "exact")
OPLEDGER_UNARY(RoundHalfAway, "exact")
OPLEDGER_UNARY(Trunc, "exact")
OPLEDGER_UNARY(Sqrt, "0.5 ulp")
OPLEDGER_UNARY(Cbrt, "4 ulp")
OPLEDGER_UNARY(Rsqrt, "4 ulp")
OPLEDGER_UNARY(Reciprocal, "0.5 ulp")
OPLEDGER_UNARY(Square, "0.5 ulp")
OPLEDGER_UNARY(Exp, "4 ulp")
OPLEDGER_UNARY(Expm1, "4 ulp")
OPLEDGER_UNARY(Log, "4 ulp")
OPLEDGER_UNARY(Log1p, "4 ulp")
OPLEDGER_UNARY(Log2, "4 ulp")
OPLEDGER_UNARY(Log10, "4 ulp")
OPLEDGER_UNARY(Sin, "4 ulp")
OPLEDGER_UNARY(Cos, "4 ulp")
OPLEDGER_UNARY(Tan, "4 ulp")
OPLEDGER_UNARY(Asin, "4 ulp")
OPLEDGER_UNARY(Acos, "4 ulp")
OPLEDGER_UNARY(Atan, "4 ulp")
OPLEDGER_UNARY(Sinh, "4 ulp")
OPLEDGER_UNARY(Cosh, "4 ulp")
OPLEDGER_UNARY(Asinh, "4 ulp")
OPLEDGER_UNARY(Acosh, "4 ulp")
OPLEDGER_UNARY(Atanh, "4 ulp")
OPLEDGER_UNARY(Tanh, "4 ulp")
OPLEDGER_UNARY(Erf, "4 ulp")
OPLEDGER_UNARY(Sigmoid, "4 ulp")
OPLEDGER_UNARY(LogSigmoid, "4 ulp")
OPLEDGER_UNARY(Softplus, "4 ulp")
OPLEDGER_UNARY(Softsign, "4 ulp")
OPLEDGER_UNARY(Relu, "exact")
OPLEDGER_UNARY_OF_ONE(LeakyRelu, "4 ulp")
OPLEDGER_UNARY_OF_ONE(ThresholdedRelu, "exact")
OPLEDGER_UNARY_OF_ONE(Elu, "4 ulp")
OPLEDGER_UNARY_OF_ONE(Celu, "4 ulp")
OPLEDGER_UNARY_OF_TWO(Selu, "4 ulp")
OPLEDGER_UNARY(Gelu, "4 ulp")
OPLEDGER_UNARY(GeluTanh, "4 ulp")
OPLEDGER_UNARY_OF_ONE(Silu, "4 ulp")
OPLEDGER_UNARY(Mish, "4 ulp")
OPLEDGER_UNARY_OF_TWO(HardSigmoid, "4 ulp")
OPLEDGER_UNARY(HardSwish, "4 ulp")
OPLEDGER_UNARY_OF_ONE(SmoothL1, "4 ulp")
OPLEDGER_UNARY_OF_TWO(Shrink, "4 ulp")

// A NaN stays one.
void RunClipRow(void* numbers, std::size_t count, double least, double most) {
  auto* all = static_cast<float*>(numbers);
  const auto a = static_cast<float>(least);
  const auto b = static_cast<float>(most);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = all[i] < a ? a : all[i];
    all[i] = b < x ? b : x;
  }
}

}  // namespace

const UnaryFunction* FindUnary(std::string_view kernel) {
  static const std::map<std::string_view, UnaryFunction> kFunctions = {
#define OPLEDGER_ROW(NAME, ALPHA, BETA, VALUE) \
  {#NAME, {&RunUnaryRow<NAME##Function, float>, ALPHA, BETA}},
      OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_ROW)
#undef OPLEDGER_ROW
          {"Clip", {&RunClipRow, 0, 0}},
  };
  const auto found = kFunctions.find(kernel);
  return found == kFunctions.end() ? nullptr : &found->second;
}

}  // namespace opledger
