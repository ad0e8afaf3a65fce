// As kernels/cpu/formulas/unary_formulas.h has them, made of the loops over rows.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/rows/activation.h"

#include <limits>

#include "kernels/arithmetic/loops/row_loops.h"
#include "kernels/arithmetic/loops/unary.h"
#include "kernels/cpu/formulas/unary_row.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Pair;
using arithmetic::Unary;

void RowByOne(Pair pair, const float* in, float one, float* out, std::size_t n) {
  arithmetic::Rows().pairs[static_cast<std::size_t>(pair)][1](in, &one, out, n);
}

void LeakyActivationRow(const float* in, float* out, std::size_t n, float alpha, float) {
  arithmetic::Rows().leaky(in, alpha, out, n);
}

void ClipActivationRow(const float* in, float* out, std::size_t n, float alpha, float beta) {
  arithmetic::Rows().clip(in, alpha, beta, out, n);
}

void HardSigmoidRow(const float* in, float* out, std::size_t n, float alpha, float beta) {
  RowByOne(Pair::kMul, in, alpha, out, n);
  RowByOne(Pair::kAdd, out, beta, out, n);
  RowByOne(Pair::kMin, out, 1, out, n);
  RowByOne(Pair::kMax, out, 0, out, n);
}

// x * f(x), where f(x) is computed in a tile of its own.
template <typename Factor>
void TimesItself(const float* in, float* out, std::size_t n, const Factor& factor) {
  constexpr std::size_t kSome = 1024;
  float tile[kSome];
  for (std::size_t at = 0; at < n; at += kSome) {
    const std::size_t some = std::min(kSome, n - at);
    factor(in + at, tile, some);
    arithmetic::Rows().pairs[static_cast<std::size_t>(Pair::kMul)][0](in + at, tile, out + at,
                                                                      some);
  }
}

void HardSwishRow(const float* in, float* out, std::size_t n, float, float) {
  TimesItself(in, out, n, [](const float* x, float* to, std::size_t some) {
    RowByOne(Pair::kDiv, x, 6, to, some);
    RowByOne(Pair::kAdd, to, 0.5F, to, some);
    RowByOne(Pair::kMin, to, 1, to, some);
    RowByOne(Pair::kMax, to, 0, to, some);
  });
}

void SiluRow(const float* in, float* out, std::size_t n, float alpha, float) {
  TimesItself(in, out, n, [alpha](const float* x, float* to, std::size_t some) {
    RowByOne(Pair::kMul, x, alpha, to, some);
    arithmetic::Apply(Unary::kSigmoid, to, to, some);
  });
}

struct NamedRow {
  std::string_view kernel;
  ActivationRow row;
};
constexpr NamedRow kActivationRows[] = {{"LeakyRelu", &LeakyActivationRow},
                                        {"Clip", &ClipActivationRow},
                                        {"HardSigmoid", &HardSigmoidRow},
                                        {"HardSwish", &HardSwishRow},
                                        {"Silu", &SiluRow}};

// Over a tensor in tiles; `low` and `high`: alpha and beta are inputs 1 and 2.
struct ActivationCall {
  ActivationRow row = nullptr;
  Dtype dtype = Dtype::kFloat32;
  std::size_t count = 0;
  float alpha = 0;
  float beta = 0;
  bool low = false;
  bool high = false;

  void Run(const void* const* inputs, void* out) const;
};

void ActivationCall::Run(const void* const* inputs, void* out) const {
  float given[2] = {alpha, beta};
  if (low) given[0] = *WideRow(dtype, inputs[1], 0, 1, &given[0]);
  if (high) given[1] = *WideRow(dtype, inputs[2], 0, 1, &given[1]);
  ForParts(count, kPartSize, [&](std::size_t begin, std::size_t end, std::size_t) {
    float tile[kTileSize];
    for (std::size_t at = begin; at < end; at += kTileSize) {
      const std::size_t some = std::min(kTileSize, end - at);
      const float* in = WideRow(dtype, inputs[0], at, some, tile);
      float* to = ResultRow(dtype, out, at, tile);
      row(in, to, some, given[0], given[1]);
      StoreRow(dtype, to, out, at, some);
    }
  });
}

Prepared PrepareActivation(const Call& call, ActivationCall activation) {
  activation.dtype = call.Input(0).dtype;
  activation.count = Elements(call.Shape(0));
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  prepared.run = [activation](const void* const* inputs, void* const* outputs, void*) {
    activation.Run(inputs, outputs[0]);
  };
  return prepared;
}

template <ActivationRow kRow>
Prepared PrepareWithParameters(const Call& call, const char* name) {
  const UnaryFunction& function = *FindUnary(name);
  ActivationCall activation{kRow};
  activation.alpha = static_cast<float>(call.parameters.Number("alpha", function.alpha));
  activation.beta = static_cast<float>(call.parameters.Number("beta", function.beta));
  return PrepareActivation(call, activation);
}

// x, least (a scalar), most (a scalar); or the parameters min and max.
Prepared PrepareVectorClip(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Clip", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ActivationCall activation{&ClipActivationRow};
  activation.alpha = static_cast<float>(call.parameters.Number("min", -kInfinity));
  activation.beta = static_cast<float>(call.parameters.Number("max", kInfinity));
  activation.low = call.Has(1);
  activation.high = call.Has(2);
  return PrepareActivation(call, activation);
}

#define OPLEDGER_VECTOR_ACTIVATION(NAME, ROW)       \
  Prepared PrepareVector##NAME(const Call& call) {  \
    return PrepareWithParameters<ROW>(call, #NAME); \
  }                                                 \
  OPLEDGER_KERNEL(NAME, "cpu")                      \
      .Types("T", OPLEDGER_VECTOR_FLOATS)           \
      .Accumulates(Dtype::kFloat32)                 \
      .ErrorBound("4 ulp")                          \
      .Priority(10)                                 \
      .Run(&PrepareVector##NAME);
OPLEDGER_VECTOR_ACTIVATION(LeakyRelu, &LeakyActivationRow)
OPLEDGER_VECTOR_ACTIVATION(HardSigmoid, &HardSigmoidRow)
OPLEDGER_VECTOR_ACTIVATION(HardSwish, &HardSwishRow)
OPLEDGER_VECTOR_ACTIVATION(Silu, &SiluRow)
OPLEDGER_KERNEL(Clip, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .ErrorBound("exact")
    .Priority(10)
    .Run(&PrepareVectorClip);

}  // namespace

ActivationRow FindActivationRow(std::string_view kernel) {
  for (const NamedRow& each : kActivationRows) {
    if (each.kernel == kernel) return each.row;
  }
  return nullptr;
}

}  // namespace opledger
