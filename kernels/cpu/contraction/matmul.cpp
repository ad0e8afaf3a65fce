// MatMul, by numpy's rules, and Gemm: the reference.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/cpu/contraction/contraction.h"
#include "kernels/cpu/contraction/matrix_stacks.h"
#include "kernels/cpu/elementwise/elementwise.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/broadcast.h"

namespace opledger {
namespace {

struct MatMulShape {
  std::size_t rows = 1;
  std::size_t inner = 1;
  std::size_t columns = 1;
  bool transpose_a = false;
  bool transpose_b = false;

  // In elements: both factors and the sums.
  std::size_t Workspace() const { return rows * inner + inner * columns + rows * columns; }
};

template <typename T>
void MultiplyMatrices(const MatMulShape& shape, const T* a, const T* b, SumOf<T>* workspace) {
  SumOf<T>* wide_a = workspace + shape.rows * shape.columns;
  SumOf<T>* wide_b = wide_a + shape.rows * shape.inner;
  UpcastMatrix(a, shape.rows, shape.inner, shape.transpose_a, wide_a);
  UpcastMatrix(b, shape.inner, shape.columns, shape.transpose_b, wide_b);
  std::fill(workspace, workspace + shape.rows * shape.columns, SumOf<T>(0));
  MultiplyAdd<SumOf<T>>(shape.rows, shape.inner, shape.columns, wide_a, shape.inner, 1, wide_b,
                        workspace);
}

// Inputs: a, b (matrices, or stacks of them). A vector is a row on the left and a column on the
// right.
Prepared PrepareMatMul(const Call& call) {
  if (IsFused(call)) {
    return PrepareFused(call, &PrepareMatMul,
                        std::max(call.Input(0).Rank(), call.Input(1).Rank()) - 1);
  }
  if (call.Input(0).dtype != call.Input(1).dtype) return Refuse("its inputs differ in type");
  const auto stacks = ReadMatrixStacks(call);
  if (!stacks) return Refuse(stacks.status());
  MatMulShape shape;
  shape.rows = stacks->rows;
  shape.inner = stacks->inner;
  shape.columns = stacks->columns;
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, stacks->result}};
  const BroadcastWalk walk(stacks->whole, {stacks->a, stacks->b});
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.workspace = shape.Workspace() * sizeof(SumOf<T>);
    prepared.run = [shape, walk](const void* const* inputs, void* const* outputs, void* workspace) {
      auto* sums = static_cast<SumOf<T>*>(workspace);
      walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                    const std::int64_t* steps) {
        for (std::size_t i = 0; i < count; ++i) {
          const auto k = static_cast<std::int64_t>(i);
          const auto which_a = static_cast<std::size_t>(offsets[0] + k * steps[0]);
          const auto which_b = static_cast<std::size_t>(offsets[1] + k * steps[1]);
          MultiplyMatrices(
              shape, static_cast<const T*>(inputs[0]) + which_a * shape.rows * shape.inner,
              static_cast<const T*>(inputs[1]) + which_b * shape.inner * shape.columns, sums);
          const std::size_t size = shape.rows * shape.columns;
          StoreAll(sums, size, static_cast<T*>(outputs[0]) + (at + i) * size);
        }
      });
    };
  });
  return prepared;
}

// Inputs: a, b, c (optional, broadcast). Parameters: alpha, beta, transpose_a, transpose_b.
// Computes alpha * a * b + beta * c.
Prepared PrepareGemm(const Call& call) {
  if (IsFused(call)) return PrepareFused(call, &PrepareGemm, 1);
  if (call.Input(0).Rank() != 2 || call.Input(1).Rank() != 2 ||
      call.Input(0).dtype != call.Input(1).dtype) {
    return Refuse("its factors are not matrices of one type");
  }
  MatMulShape shape;
  shape.transpose_a = call.parameters.Integer("transpose_a", 0) != 0;
  shape.transpose_b = call.parameters.Integer("transpose_b", 0) != 0;
  const auto size = [&](std::size_t input, bool second) {
    return static_cast<std::size_t>(call.Shape(input)[second ? 1 : 0]);
  };
  shape.rows = size(0, shape.transpose_a);
  shape.inner = size(0, !shape.transpose_a);
  shape.columns = size(1, !shape.transpose_b);
  if (size(1, shape.transpose_b) != shape.inner) {
    return Refuse(Text(call.Input(0)) + " and " + Text(call.Input(1)) + " cannot be multiplied");
  }
  const Dimensions result = {static_cast<std::int64_t>(shape.rows),
                             static_cast<std::int64_t>(shape.columns)};
  const bool biased = call.Has(2);
  if (biased && (call.Input(2).dtype != call.Input(0).dtype ||
                 Broadcast({result, call.Shape(2)}) != result)) {
    return Refuse("its c does not broadcast to its result");
  }
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, result}};
  const BroadcastWalk walk(result, {biased ? call.Shape(2) : Dimensions{}});
  const double alpha = call.parameters.Number("alpha", 1);
  const double beta = call.parameters.Number("beta", 1);
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    using V = Computed<T>;
    prepared.workspace = shape.Workspace() * sizeof(V);
    prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
      auto* sums = static_cast<V*>(workspace);
      MultiplyMatrices(shape, static_cast<const T*>(inputs[0]), static_cast<const T*>(inputs[1]),
                       sums);
      const std::size_t total = shape.rows * shape.columns;
      if (alpha != 1)
        std::for_each(sums, sums + total, [&](V& sum) { sum *= static_cast<V>(alpha); });
      if (biased) {
        const auto* c = static_cast<const T*>(inputs[2]);
        walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                      const std::int64_t* steps) {
          for (std::size_t i = 0; i < count; ++i) {
            const V bias = Load(c[offsets[0] + static_cast<std::int64_t>(i) * steps[0]]);
            sums[at + i] += beta == 1 ? bias : static_cast<V>(beta) * bias;
          }
        });
      }
      StoreAll(sums, total, static_cast<T*>(outputs[0]));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(MatMul, "cpu")
    .Types("T", OPLEDGER_NUMBERS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .Fuses(FusedChannel::kLast)
    .Run(&PrepareMatMul);
OPLEDGER_KERNEL(Gemm, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .Reads("transpose_a")
    .Reads("transpose_b")
    .Reads("alpha")
    .Reads("beta")
    .Fuses(FusedChannel::kLast)
    .Run(&PrepareGemm);

}  // namespace
}  // namespace opledger
