// Softmax and its logarithm over contiguous elements, or column by column.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/vector/reduce/reduce.h"
#include "kernels/vector/reduce/row_groups.h"
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

struct RowSoftmax {
  bool logarithm = false;
  Dtype dtype = Dtype::kFloat32;
  std::size_t n = 0;
  std::size_t groups = 0;

  // For float32, exponentials are computed in the output.
  std::size_t Buffer() const { return dtype == Dtype::kFloat32 ? 0 : n; }

  void Run(const void* in, void* out, float* workspace) const {
    ForParts(groups, kPartSize / n + 1, [&](std::size_t begin, std::size_t end, std::size_t part) {
      float* buffer = workspace + part * Buffer();
      for (std::size_t group = begin; group < end; ++group) {
        float* row = ResultRow(dtype, out, group * n, buffer);
        SoftmaxRow(LoadRow(dtype, in, group * n, n, buffer), row, n, logarithm);
        StoreRow(dtype, row, out, group * n, n);
      }
    });
  }
};

// Groups that are columns of rows.
struct ColumnSoftmax : RowGroups {
  bool logarithm = false;
  Dtype dtype = Dtype::kFloat32;

  std::size_t Buffer() const {
    return dtype == Dtype::kFloat32 ? 0 : members.size() * std::min(run, kColumns);
  }

  // Computes `n` columns from element `first` on.
  void RunTile(const void* in, void* out, std::size_t first, std::size_t n, float* buffer) const {
    const auto at = [&](std::size_t row) { return first + members[row] * run; };
    const auto result = [&](std::size_t row) {
      return ResultRow(dtype, out, at(row), buffer + row * n);
    };
    float wide[kColumns];
    RowTree greatest(Pair::kMax, n);
    for (std::size_t row = 0; row < members.size(); ++row) {
      greatest.Add(LoadRow(dtype, in, at(row), n, wide));
    }
    const float* max = greatest.All();
    RowTree sums(Pair::kAdd, n);
    for (std::size_t row = 0; row < members.size(); ++row) {
      Apply(Pair::kSub, LoadRow(dtype, in, at(row), n, wide), max, result(row), n);
      float* exponentials = logarithm ? wide : result(row);
      Apply(Unary::kExp, result(row), exponentials, n);
      sums.Add(exponentials);
    }
    float* sum = sums.All();
    if (logarithm) Apply(Unary::kLog, sum, sum, n);
    for (std::size_t row = 0; row < members.size(); ++row) {
      Apply(logarithm ? Pair::kSub : Pair::kDiv, result(row), sum, result(row), n);
      StoreRow(dtype, result(row), out, at(row), n);
    }
  }

  void Run(const void* in, void* out, float* workspace) const {
    const std::size_t tiles = (run + kColumns - 1) / kColumns;
    const std::size_t least = kPartSize / (std::min(run, kColumns) * members.size()) + 1;
    ForParts(groups.size() * tiles, least,
             [&](std::size_t begin, std::size_t end, std::size_t part) {
               for (std::size_t at = begin; at < end; ++at) {
                 const std::size_t column = at % tiles * kColumns;
                 RunTile(in, out, groups[at / tiles] * run + column,
                         std::min(kColumns, run - column), workspace + part * Buffer());
               }
             });
  }
};

template <typename Softmax>
Prepared PreparedOf(const Call& call, const Softmax& softmax) {
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  prepared.workspace = Threads() * softmax.Buffer() * sizeof(float);
  prepared.run = [softmax](const void* const* inputs, void* const* outputs, void* workspace) {
    softmax.Run(inputs[0], outputs[0], static_cast<float*>(workspace));
  };
  return prepared;
}

// Takes the parameter axes.
template <bool kLogarithm>
Prepared PrepareVectorSoftmax(const Call& call) {
  const Integers axes = call.parameters.List("axes");
  const std::size_t elements = Elements(call.Shape(0));
  if (elements == 0) return Refuse("it has an empty tensor");
  const Dtype dtype = call.Input(0).dtype;
  if (const auto n = TrailingSize(call.Shape(0), axes)) {
    if (kLogarithm && *n > kTileSize) return Refuse("its rows are too long");
    return PreparedOf(call, RowSoftmax{kLogarithm, dtype, *n, elements / *n});
  }
  const ColumnSoftmax columns{SplitRows(call.Shape(0), axes), kLogarithm, dtype};
  if (!columns.run_stays) return Refuse("its groups are not contiguous");
  return PreparedOf(call, columns);
}

OPLEDGER_KERNEL(Softmax, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .By("vector")
    .Run(&PrepareVectorSoftmax<false>);
OPLEDGER_KERNEL(LogSoftmax, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .By("vector")
    .Run(&PrepareVectorSoftmax<true>);

}  // namespace
}  // namespace opledger
