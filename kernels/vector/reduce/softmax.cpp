// Softmax and its logarithm over numbers that stand together.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/vector/reduce/reduce.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Apply;
using arithmetic::Pair;
using arithmetic::Unary;

void SoftmaxRow(const float* in, float* out, std::size_t n, bool logarithm) {
  const arithmetic::RowLoops& rows = arithmetic::Rows();
  Apply(Pair::kSub, in, rows.max(in, n), out, n);
  if (!logarithm) {
    Apply(Unary::kExp, out, out, n);
    return Apply(Pair::kDiv, out, rows.sum(out, n), out, n);
  }
  float exponentials[kTileSize];
  Apply(Unary::kExp, out, exponentials, n);
  float sum = rows.sum(exponentials, n);
  Apply(Unary::kLog, &sum, &sum, 1);
  Apply(Pair::kSub, out, sum, out, n);
}

// axes
template <bool kLogarithm>
Prepared PrepareVectorSoftmax(const Call& call) {
  const auto n = TrailingSize(call.Shape(0), call.parameters.List("axes"));
  if (!n || *n == 0) return Refuse("its numbers do not stand together");
  if (kLogarithm && *n > kTileSize) return Refuse("its rows are too long");
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  const Dtype dtype = call.Input(0).dtype;
  const std::size_t groups = Elements(call.Shape(0)) / *n;
  prepared.workspace = dtype == Dtype::kFloat32 ? 0 : Threads() * *n * sizeof(float);
  prepared.run = [=, n = *n](const void* const* inputs, void* const* outputs, void* workspace) {
    ForParts(groups, kPartSize / n + 1, [&](std::size_t begin, std::size_t end, std::size_t part) {
      float* buffer = static_cast<float*>(workspace) + part * n;
      for (std::size_t group = begin; group < end; ++group) {
        const float* in = LoadRow(dtype, inputs[0], group * n, n, buffer);
        float* out = ResultRow(dtype, outputs[0], group * n, buffer);
        SoftmaxRow(in, out, n, kLogarithm);
        StoreRow(dtype, out, outputs[0], group * n, n);
      }
    });
  };
  return prepared;
}

OPLEDGER_KERNEL(Softmax, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .Priority(10)
    .Run(&PrepareVectorSoftmax<false>);
OPLEDGER_KERNEL(LogSoftmax, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .Priority(10)
    .Run(&PrepareVectorSoftmax<true>);

}  // namespace
}  // namespace opledger
