// Unary kernels: activations and functions. Their parameters, if any, are alpha and beta.
// https://onnx.ai/onnx/operators/ has the formulas.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <map>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/formulas/unary_formulas.h"
#include "kernels/cpu/formulas/unary_row.h"
#include "kernels/kernel/kernel.h"

namespace opledger {
namespace {

using namespace function;  // NOLINT(google-build-using-namespace): keeps the formulas readable

#define OPLEDGER_UNARY(NAME, BOUND, COUNT, ALPHA, BETA, VALUE)     \
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

// Converts a tile to float32, computes it, and rounds it.
void RunUnary(Dtype dtype, UnaryRow row, const void* in, void* out, std::size_t count, double alpha,
              double beta) {
  constexpr std::size_t kTile = 1024;
  float tile[kTile];
  const std::size_t size = ElementSize(dtype);
  for (std::size_t at = 0; at < count; at += kTile) {
    const std::size_t some = std::min(kTile, count - at);
    arithmetic::Upcast(dtype, static_cast<const std::byte*>(in) + at * size, tile, some);
    row(tile, some, alpha, beta);
    arithmetic::Downcast(tile, dtype, static_cast<std::byte*>(out) + at * size, some);
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

#define OPLEDGER_READS_0
#define OPLEDGER_READS_1 .Reads("alpha")
#define OPLEDGER_READS_2 .Reads("alpha").Reads("beta")
#define OPLEDGER_UNARY(NAME, BOUND, COUNT, ALPHA, BETA, VALUE) \
  OPLEDGER_KERNEL(NAME, "cpu")                                 \
      .Types("T", OPLEDGER_FLOATS)                             \
      .Accumulates(Dtype::kFloat32)                            \
      .ErrorBound(BOUND) OPLEDGER_READS_##COUNT.Elementwise()  \
      .Fusable(ALPHA, BETA)                                    \
      .Run(&PrepareUnary<NAME##Function, COUNT>);
OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_UNARY)
#undef OPLEDGER_UNARY

// A NaN stays NaN.
void RunClipRow(void* numbers, std::size_t count, double min, double max) {
  auto* all = static_cast<float*>(numbers);
  const auto a = static_cast<float>(min);
  const auto b = static_cast<float>(max);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = all[i] < a ? a : all[i];
    all[i] = b < x ? b : x;
  }
}

}  // namespace

const UnaryFunction* FindUnary(std::string_view kernel) {
  static const std::map<std::string_view, UnaryFunction> kFunctions = {
#define OPLEDGER_ROW(NAME, BOUND, COUNT, ALPHA, BETA, VALUE) \
  {#NAME, {&RunUnaryRow<NAME##Function, float>, ALPHA, BETA}},
      OPLEDGER_UNARY_FUNCTIONS(OPLEDGER_ROW)
#undef OPLEDGER_ROW
          {"Clip", {&RunClipRow, 0, 0}},
  };
  const auto found = kFunctions.find(kernel);
  return found == kFunctions.end() ? nullptr : &found->second;
}

}  // namespace opledger
