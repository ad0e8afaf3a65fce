// Any number of inputs of one shape, in tiles.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Apply;
using arithmetic::Pair;

struct VariadicRows {
  Dtype dtype = Dtype::kFloat32;
  Pair pair = Pair::kAdd;
  bool averages = false;
  std::size_t inputs = 1;

  void RunTile(const void* const* in, void* out, std::size_t at, std::size_t n) const;
};

void VariadicRows::RunTile(const void* const* in, void* out, std::size_t at, std::size_t n) const {
  float tile[kTileSize];
  float sums[kTileSize];
  float* to = ResultRow(dtype, out, at, sums);
  const float* result = LoadRow(dtype, in[0], at, n, sums);
  for (std::size_t i = 1; i < inputs; ++i) {
    const float* row = LoadRow(dtype, in[i], at, n, tile);
    Apply(pair, result, row, to, n);
    result = to;
  }
  if (averages) Apply(Pair::kDiv, result, static_cast<float>(inputs), to, n);
  if (inputs == 1 && !averages) std::copy_n(result, n, to);
  StoreRow(dtype, to, out, at, n);
}

template <Pair kPair, bool kAverages>
Prepared PrepareVectorVariadic(const Call& call) {
  VariadicRows rows{call.Input(0).dtype, kPair, kAverages, call.inputs.size()};
  for (std::size_t i = 0; i < rows.inputs; ++i) {
    if (!call.Has(i) || call.Input(i) != call.Input(0)) {
      return Refuse("its inputs differ in type or shape");
    }
  }
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  const std::size_t count = Elements(call.Shape(0));
  prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
    ForParts(count, kPartSize, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t at = begin; at < end; at += kTileSize) {
        rows.RunTile(inputs, outputs[0], at, std::min(kTileSize, end - at));
      }
    });
  };
  return prepared;
}

#define OPLEDGER_VECTOR_VARIADIC(NAME, PAIR, AVERAGES, BOUND) \
  OPLEDGER_KERNEL(NAME, "cpu")                                \
      .Types("T", OPLEDGER_VECTOR_FLOATS)                     \
      .Accumulates(Dtype::kFloat32)                           \
      .ErrorBound(BOUND)                                      \
      .Priority(10)                                           \
      .Run(&PrepareVectorVariadic<Pair::k##PAIR, AVERAGES>);
OPLEDGER_VECTOR_VARIADIC(Sum, Add, false, "0.5 ulp + n * 2^-24")
OPLEDGER_VECTOR_VARIADIC(Mean, Add, true, "0.5 ulp + n * 2^-24")
OPLEDGER_VECTOR_VARIADIC(MaxOf, Max, false, "exact")
OPLEDGER_VECTOR_VARIADIC(MinOf, Min, false, "exact")

}  // namespace
}  // namespace opledger
