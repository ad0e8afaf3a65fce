// Attention by matrix products: for each head, multiplies some rows of queries by the keys, applies
// softmax to the rows, and multiplies them by the values.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/sequence/attention.h"

#include <utility>

#include "kernels/vector/contraction/product.h"

namespace opledger {
namespace {

using arithmetic::Apply;
using arithmetic::Pair;
using arithmetic::Unary;

constexpr std::size_t kQueries = 64;  // query rows at a time

struct VectorAttention {
  AttentionShape shape;
  Dtype dtype = Dtype::kFloat32;
  float scale = 1;  // of queries and of keys, each
  ProductBlocks of_keys;
  ProductBlocks of_values;

  std::size_t Rows() const { return std::min(shape.q_rows, kQueries); }
  // Floats that a head needs: panels of keys and values, scores, a row of each kind, and the
  // workspace of the products.
  std::size_t Workspace() const {
    return of_keys.PanelSize() + of_values.PanelSize() + (Rows() + 1) * shape.Columns() +
           std::max(shape.head, shape.value) + Rows() * shape.value +
           Threads() * std::max(of_keys.Workspace(), of_values.Workspace());
  }
  // One head of a batch, and its part of the workspace.
  struct Head {
    const AttentionTensors& in;
    std::size_t batch;
    std::size_t head;
    std::size_t group;  // the index of its keys and values
    float* keys;        // panels of keys
    float* values;
    float* scores;
    float* bias;
    float* row;
    float* sums;
    float* own;
  };
  Head HeadOf(const AttentionTensors& in, std::size_t batch, std::size_t head,
              float* workspace) const {
    float* values = workspace + of_keys.PanelSize();
    float* scores = values + of_values.PanelSize();
    float* bias = scores + Rows() * shape.Columns();
    float* row = bias + shape.Columns();
    float* sums = row + std::max(shape.head, shape.value);
    const std::size_t group = head / (shape.q_heads / shape.kv_heads);
    return {in,
            batch,
            head,
            group,
            workspace,
            values,
            scores,
            bias,
            row,
            sums,
            sums + Rows() * shape.value};
  }

  template <typename T>
  const float* Wide(const T* row, std::size_t n, float* buffer) const {
    return LoadRow(dtype, row, 0, n, buffer);
  }
  template <typename T>
  void PackKeys(const Head& of) const;
  template <typename T>
  bool PackValues(const Head& of) const;
  template <typename T>
  void MultiplyKeys(const Head& of, std::size_t first, std::size_t rows) const;
  std::pair<std::size_t, std::size_t> Seen(const Head& of, std::size_t row) const;
  template <typename T>
  bool AddMask(const Head& of, std::size_t row, std::size_t first, std::size_t last,
               float* scores) const;
  template <typename T>
  void Softmax(const Head& of, std::size_t row, float* scores) const;
  void MultiplyValues(const Head& of, std::size_t rows) const;
  template <typename T>
  void SumSeen(const Head& of, std::size_t rows) const;
  template <typename T>
  void RunHead(const Head& of, T* y) const;
  template <typename T>
  void Run(const void* const* inputs, void* const* outputs, float* workspace) const;
};

// Columns of the right factor are keys; a panel holds some of them side by side.
template <typename T>
void VectorAttention::PackKeys(const Head& of) const {
  const std::size_t width = arithmetic::Products().columns;
  std::fill_n(of.keys, of_keys.PanelSize(), 0.0F);
  for (std::size_t column = 0; column < shape.Columns(); ++column) {
    const T* from =
        RowOf<T>(shape, shape.k, of.in.k, of.in.past_k, of.batch, of.group, shape.head, column);
    const float* numbers = Wide(from, shape.head, of.row);
    float* to = of.keys + column / width * width * shape.head + column % width;
    for (std::size_t i = 0; i < shape.head; ++i) to[i * width] = numbers[i] * scale;
  }
}

// Packs the values. Returns whether all are finite; otherwise they must not be multiplied by 0.
template <typename T>
bool VectorAttention::PackValues(const Head& of) const {
  bool finite = true;
  PackPanels(of_values, 0, shape.Columns(), of.values,
             [&](std::size_t k, std::size_t column, std::size_t n, float* buffer) {
               const T* from = RowOf<T>(shape, shape.v, of.in.v, of.in.past_v, of.batch, of.group,
                                        shape.value, k);
               finite = finite && arithmetic::AllFinite(dtype, from + column, n);
               return Wide(from + column, n, buffer);
             });
  return finite;
}

// Returns the columns [first, end) that a row sees, regardless of the mask.
std::pair<std::size_t, std::size_t> VectorAttention::Seen(const Head& of, std::size_t row) const {
  auto last = static_cast<std::int64_t>(shape.Columns());
  auto before = static_cast<std::int64_t>(shape.past);
  if (shape.has_valid) {
    last = std::clamp<std::int64_t>(of.in.valid[of.batch], 0, last);
    before = of.in.valid[of.batch] - static_cast<std::int64_t>(shape.q_rows);
  }
  if (shape.has_mask) last = std::min(last, static_cast<std::int64_t>(shape.mask_columns));
  const std::int64_t place = static_cast<std::int64_t>(row) + before;
  if (shape.causal) last = std::min(last, place + 1);
  if (shape.right >= 0) last = std::min(last, place + shape.right + 1);
  const std::int64_t first = shape.left >= 0 ? std::max<std::int64_t>(0, place - shape.left) : 0;
  last = std::max<std::int64_t>(last, 0);
  return {static_cast<std::size_t>(std::min(first, last)), static_cast<std::size_t>(last)};
}

// Adds the mask to the scores of columns `first` to `last`. Returns false if all are masked.
template <typename T>
bool VectorAttention::AddMask(const Head& of, std::size_t row, std::size_t first, std::size_t last,
                              float* scores) const {
  bool any = false;
  for (std::size_t j = first; j < last; ++j) {
    of.bias[j] = BiasAt<T>(shape, of.in, of.batch, of.head, row, j);
    any = any || of.bias[j] != -std::numeric_limits<float>::infinity();
  }
  Apply(Pair::kAdd, scores + first, of.bias + first, scores + first, last - first);
  return any;
}

// Softmax of a row of scores; all zero if every column is masked.
template <typename T>
void VectorAttention::Softmax(const Head& of, std::size_t row, float* scores) const {
  const std::size_t columns = shape.Columns();
  if (shape.cap > 0) {
    const auto cap = static_cast<float>(shape.cap);
    Apply(Pair::kDiv, scores, cap, scores, columns);
    Apply(Unary::kTanh, scores, scores, columns);
    Apply(Pair::kMul, scores, cap, scores, columns);
  }
  const auto [first, last] = Seen(of, row);
  bool any = first < last;
  if (shape.has_mask && any) any = AddMask<T>(of, row, first, last, scores);
  if (!any) return std::fill_n(scores, columns, 0.0F), void();
  std::fill(scores, scores + first, -std::numeric_limits<float>::infinity());
  std::fill(scores + last, scores + columns, -std::numeric_limits<float>::infinity());
  const arithmetic::RowLoops& rows = arithmetic::Rows();
  Apply(Pair::kSub, scores, rows.max(scores, columns), scores, columns);
  Apply(Unary::kExp, scores, scores, columns);
  Apply(Pair::kDiv, scores, rows.sum(scores, columns), scores, columns);
}

template <typename T>
void VectorAttention::MultiplyKeys(const Head& of, std::size_t first, std::size_t rows) const {
  ProductBlocks blocks = of_keys;
  blocks.rows = rows;
  const T* queries = static_cast<const T*>(of.in.q) + of.batch * shape.q.batch +
                     of.head * shape.q.head + first * shape.q.row;
  RunProducts(
      blocks, of.own,
      [&](std::size_t, std::size_t at, std::size_t count, std::size_t k, std::size_t n, float* to) {
        for (std::size_t i = 0; i < count; ++i, to += arithmetic::kProductRowStep) {
          Apply(Pair::kMul, Wide(queries + (at + i) * shape.q.row + k, n, to), scale, to, n);
        }
      },
      [&](std::size_t) { return of.keys; },
      [&](std::size_t, std::size_t at, std::size_t column, std::size_t n, const float* from) {
        std::copy_n(from, n, of.scores + at * shape.Columns() + column);
      });
}

void VectorAttention::MultiplyValues(const Head& of, std::size_t rows) const {
  ProductBlocks blocks = of_values;
  blocks.rows = rows;
  RunProducts(
      blocks, of.own,
      [&](std::size_t, std::size_t at, std::size_t count, std::size_t k, std::size_t n, float* to) {
        for (std::size_t i = 0; i < count; ++i, to += arithmetic::kProductRowStep) {
          std::copy_n(of.scores + (at + i) * shape.Columns() + k, n, to);
        }
      },
      [&](std::size_t) { return of.values; },
      [&](std::size_t, std::size_t at, std::size_t column, std::size_t n, const float* from) {
        std::copy_n(from, n, of.sums + at * shape.value + column);
      });
}

// For values that are not finite: sums only those that a row sees, one by one.
template <typename T>
void VectorAttention::SumSeen(const Head& of, std::size_t rows) const {
  std::fill_n(of.sums, rows * shape.value, 0.0F);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < shape.Columns(); ++j) {
      const float score = of.scores[i * shape.Columns() + j];
      if (score == 0) continue;
      const T* from =
          RowOf<T>(shape, shape.v, of.in.v, of.in.past_v, of.batch, of.group, shape.value, j);
      Apply(Pair::kMul, Wide(from, shape.value, of.row), score, of.row, shape.value);
      float* sums = of.sums + i * shape.value;
      Apply(Pair::kAdd, sums, of.row, sums, shape.value);
    }
  }
}

template <typename T>
void VectorAttention::RunHead(const Head& of, T* y) const {
  PackKeys<T>(of);
  const bool finite = PackValues<T>(of);
  for (std::size_t first = 0; first < shape.q_rows; first += kQueries) {
    const std::size_t rows = std::min(kQueries, shape.q_rows - first);
    MultiplyKeys<T>(of, first, rows);
    for (std::size_t i = 0; i < rows; ++i) {
      Softmax<T>(of, first + i, of.scores + i * shape.Columns());
    }
    finite ? MultiplyValues(of, rows) : SumSeen<T>(of, rows);
    for (std::size_t i = 0; i < rows; ++i) {
      T* to = y + of.batch * shape.y.batch + of.head * shape.y.head + (first + i) * shape.y.row;
      arithmetic::Downcast(of.sums + i * shape.value, dtype, to, shape.value);
    }
  }
}

template <typename T>
void VectorAttention::Run(const void* const* inputs, void* const* outputs, float* workspace) const {
  const AttentionTensors in = TensorsOf(shape, inputs);
  AppendToPast(shape, shape.k, in.k, in.past_k, shape.head, static_cast<T*>(outputs[1]));
  AppendToPast(shape, shape.v, in.v, in.past_v, shape.value, static_cast<T*>(outputs[2]));
  const std::size_t work = shape.q_rows * shape.Columns() * (shape.head + shape.value);
  ForParts(shape.batches * shape.q_heads, (std::size_t{1} << 19) / (work + 1) + 1,
           [&](std::size_t begin, std::size_t end, std::size_t part) {
             for (std::size_t at = begin; at < end; ++at) {
               const Head of = HeadOf(in, at / shape.q_heads, at % shape.q_heads,
                                      workspace + part * Workspace());
               RunHead(of, static_cast<T*>(outputs[0]));
             }
           });
}

bool WantsScores(const Call& call) { return call.outputs > 3; }

Prepared PrepareVectorAttention(const Call& call) {
  VectorAttention attention;
  if (std::string problem = ReadAttention(call, attention.shape); !problem.empty()) {
    return Refuse(problem);
  }
  Prepared prepared;
  prepared.outputs = AttentionOutputs(call, attention.shape);
  const AttentionShape& shape = attention.shape;
  if (shape.batches * shape.q_rows * shape.Columns() == 0) return Refuse("it has an empty tensor");
  attention.dtype = call.Input(0).dtype;
  attention.scale = static_cast<float>(shape.scale);
  attention.of_keys = BlocksOf(1, attention.Rows(), shape.head, shape.Columns());
  attention.of_values = BlocksOf(1, attention.Rows(), shape.Columns(), shape.value);
  prepared.workspace = Threads() * attention.Workspace() * sizeof(float);
  WithFloat(attention.dtype, [&]<typename T>(T*) {
    prepared.run = [attention](const void* const* inputs, void* const* outputs, void* workspace) {
      attention.Run<T>(inputs, outputs, static_cast<float*>(workspace));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Attention, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("8 ulp + n * 2^-24")
    .Refuses("its scores are requested as an output", &WantsScores)
    .By("vector")
    .Run(&PrepareVectorAttention);

}  // namespace
}  // namespace opledger
