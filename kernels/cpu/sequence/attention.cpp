// Attention: softmax(q * k^T * scale + bias) * v, row by row, in float32 and rounded once.
// https://onnx.ai/onnx/operators/onnx__Attention.html defines the bias.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/sequence/attention.h"

#include <cmath>

#include "kernels/cpu/formulas/formulas.h"

namespace opledger {
namespace {

// Replaces the scores of a row by probabilities, which are all zero if every column is masked.
template <typename V>
void SoftmaxOfRow(const V* bias, V* scores, std::size_t columns) {
  V max = -std::numeric_limits<V>::infinity();
  bool any = false;
  for (std::size_t j = 0; j < columns; ++j) {
    any = any || bias[j] != -std::numeric_limits<V>::infinity();
    max = std::max(max, scores[j]);
  }
  V sum = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    scores[j] = any ? function::Exp(scores[j] - max) : V(0);
    sum += scores[j];
  }
  for (std::size_t j = 0; any && j < columns; ++j) scores[j] /= sum;
}

// Computes one row of one head. The workspace has the row's scores and bias, then the sums of its
// output.
template <typename T>
void AttendRow(const AttentionShape& shape, const AttentionTensors& in, std::size_t batch,
               std::size_t head, std::size_t row, T* y, T* scores_out, Computed<T>* workspace) {
  using V = Computed<T>;
  const std::size_t columns = shape.Columns();
  const std::size_t group = head / (shape.q_heads / shape.kv_heads);
  V* scores = workspace;
  V* bias = scores + columns;
  V* sums = bias + columns;
  const T* q =
      static_cast<const T*>(in.q) + batch * shape.q.batch + head * shape.q.head + row * shape.q.row;
  const V scale = static_cast<V>(shape.scale);
  const V cap = static_cast<V>(shape.cap);
  const auto keep = [&](Scores what) {
    if (scores_out == nullptr || what != shape.scores) return;
    for (std::size_t j = 0; j < columns; ++j) Store(scores_out[j], scores[j]);
  };
  for (std::size_t j = 0; j < columns; ++j) {
    const T* k = RowOf<T>(shape, shape.k, in.k, in.past_k, batch, group, shape.head, j);
    V sum = 0;
    for (std::size_t d = 0; d < shape.head; ++d) sum += Load(q[d]) * scale * (Load(k[d]) * scale);
    scores[j] = sum;
  }
  keep(Scores::kProducts);
  for (std::size_t j = 0; j < columns && shape.cap > 0; ++j) {
    scores[j] = function::Tanh(scores[j] / cap) * cap;
  }
  keep(Scores::kCapped);
  for (std::size_t j = 0; j < columns; ++j) {
    bias[j] = BiasAt<T>(shape, in, batch, head, row, j);
    scores[j] += bias[j];
  }
  keep(Scores::kBiased);
  SoftmaxOfRow(bias, scores, columns);
  keep(Scores::kProbabilities);
  std::fill_n(sums, shape.value, V(0));
  for (std::size_t j = 0; j < columns; ++j) {
    if (scores[j] == V(0)) continue;  // the value may be NaN or infinite
    const T* v = RowOf<T>(shape, shape.v, in.v, in.past_v, batch, group, shape.value, j);
    for (std::size_t d = 0; d < shape.value; ++d) sums[d] += scores[j] * Load(v[d]);
  }
  for (std::size_t d = 0; d < shape.value; ++d) Store(y[d], sums[d]);
}

// 4 dimensions: batch, head, row, element. 3 dimensions: batch, row, elements of all heads.
HeadStrides StridesOf(const Dimensions& shape, std::size_t heads) {
  const auto last = static_cast<std::size_t>(shape.back());
  if (shape.size() == 4) {
    const auto rows = static_cast<std::size_t>(shape[2]);
    return {heads * rows * last, rows * last, last};
  }
  return {static_cast<std::size_t>(shape[1]) * last, heads == 0 ? 0 : last / heads, last};
}

std::size_t RowsOf(const Dimensions& shape) {
  return static_cast<std::size_t>(shape[shape.size() - 2]);
}

// Elements of a row per head, or 0 if the heads do not divide it.
std::size_t WidthOf(const Dimensions& shape, std::size_t heads) {
  const auto last = static_cast<std::size_t>(shape.back());
  if (shape.size() == 4) return static_cast<std::size_t>(shape[1]) == heads ? last : 0;
  return heads == 0 || last % heads != 0 ? 0 : last / heads;
}

// The mask broadcasts to batch, head and row; it may have fewer columns.
std::string ReadMask(const Call& call, AttentionShape& shape) {
  if (!call.Has(3)) return {};
  shape.has_mask = true;
  shape.mask_is_bool = call.Input(3).dtype == Dtype::kBool;
  if (!shape.mask_is_bool && call.Input(3).dtype != call.Input(0).dtype) {
    return "its mask and input differ in type";
  }
  const Dimensions& mask = call.Shape(3);
  if (mask.empty() || mask.size() > 4) return "its mask does not have 1 to 4 dimensions";
  shape.mask_columns = static_cast<std::size_t>(mask.back());
  const std::size_t wanted[3] = {shape.batches, shape.q_heads, shape.q_rows};
  const Dimensions strides = Strides(mask);
  for (std::size_t d = 0; d + 1 < mask.size(); ++d) {
    const std::size_t which = 4 - mask.size() + d;
    if (mask[d] == 1) continue;
    if (static_cast<std::size_t>(mask[d]) != wanted[which]) return "its mask does not broadcast";
    shape.mask_strides[which] = static_cast<std::size_t>(strides[d]);
  }
  return {};
}

std::string ReadPast(const Call& call, AttentionShape& shape) {
  if (call.Has(4) != call.Has(5)) return "it has only one of past keys and past values";
  if (!call.Has(4)) return {};
  const Dimensions& keys = call.Shape(4);
  if (keys.size() != 4) return "its past does not have 4 dimensions";
  shape.past = static_cast<std::size_t>(keys[2]);
  const auto expected = [&](std::size_t width) {
    return Dimensions{static_cast<std::int64_t>(shape.batches),
                      static_cast<std::int64_t>(shape.kv_heads), keys[2],
                      static_cast<std::int64_t>(width)};
  };
  if (keys != expected(shape.head) || call.Shape(5) != expected(shape.value) ||
      call.Input(4).dtype != call.Input(0).dtype || call.Input(5).dtype != call.Input(0).dtype) {
    return "its past does not match its keys and values";
  }
  return {};
}

// Inputs: q, k, v, mask, past keys, past values, valid. Parameters: q_heads, kv_heads (with 3
// dimensions).
std::string ReadTensors(const Call& call, AttentionShape& shape) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!call.Has(i) || call.Input(i).dtype != call.Input(0).dtype ||
        call.Input(i).Rank() != call.Input(0).Rank() || call.Input(i).Rank() < 3 ||
        call.Input(i).Rank() > 4 || call.Shape(i)[0] != call.Shape(0)[0]) {
      return "its query, keys and values differ in type, rank or batch";
    }
  }
  const bool four = call.Input(0).Rank() == 4;
  const auto heads = [&](const char* name, std::size_t input) {
    return static_cast<std::size_t>(four ? call.Shape(input)[1] : call.parameters.Integer(name, 0));
  };
  shape.batches = static_cast<std::size_t>(call.Shape(0)[0]);
  shape.q_heads = heads("q_heads", 0);
  shape.kv_heads = heads("kv_heads", 1);
  shape.head = WidthOf(call.Shape(0), shape.q_heads);
  shape.value = WidthOf(call.Shape(2), shape.kv_heads);
  if (shape.kv_heads == 0 || shape.q_heads == 0 || shape.q_heads % shape.kv_heads != 0 ||
      shape.head == 0 || shape.value == 0 || WidthOf(call.Shape(1), shape.kv_heads) != shape.head ||
      RowsOf(call.Shape(1)) != RowsOf(call.Shape(2))) {
    return "its heads do not divide its query, keys and values";
  }
  shape.q_rows = RowsOf(call.Shape(0));
  shape.kv_rows = RowsOf(call.Shape(1));
  shape.q = StridesOf(call.Shape(0), shape.q_heads);
  shape.k = StridesOf(call.Shape(1), shape.kv_heads);
  shape.v = StridesOf(call.Shape(2), shape.kv_heads);
  shape.has_valid = call.Has(6);
  if (shape.has_valid &&
      (call.Input(6).dtype != Dtype::kInt64 || call.Shape(6) != Dimensions{call.Shape(0)[0]})) {
    return "its valid rows are not one int64 per batch";
  }
  if (std::string problem = ReadPast(call, shape); !problem.empty()) return problem;
  return ReadMask(call, shape);
}

}  // namespace

// Parameters: causal; scale (of the products; absent: 1 / sqrt(head)); cap; left, right: columns
// that a row sees on either side, -1: all; scores: what output 3 holds, as an index of Scores.
std::string ReadAttention(const Call& call, AttentionShape& shape) {
  if (std::string problem = ReadTensors(call, shape); !problem.empty()) return problem;
  shape.causal = call.parameters.Integer("causal", 0) != 0;
  const double scale =
      call.parameters.Number("scale", 1 / std::sqrt(static_cast<double>(shape.head)));
  if (!(scale >= 0)) return "its scale is negative";
  shape.scale = std::sqrt(scale);
  shape.cap = call.parameters.Number("cap", 0);
  shape.left = call.parameters.Integer("left", -1);
  shape.right = call.parameters.Integer("right", -1);
  const std::int64_t scores = call.parameters.Integer("scores", 0);
  if (scores < 0 || scores > 3) return "its kind of scores is unknown";
  shape.scores = static_cast<Scores>(scores);
  return {};
}

std::vector<TensorType> AttentionOutputs(const Call& call, AttentionShape& shape) {
  const Dtype dtype = call.Input(0).dtype;
  const auto wide = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  const Dimensions& q = call.Shape(0);
  Dimensions y = {q[0], wide(shape.q_heads), wide(shape.q_rows), wide(shape.value)};
  if (q.size() == 3) y = {q[0], q[1], wide(shape.q_heads * shape.value)};
  shape.y = StridesOf(y, shape.q_heads);
  const std::int64_t columns = wide(shape.Columns());
  return {{dtype, y},
          {dtype, {q[0], wide(shape.kv_heads), columns, wide(shape.head)}},
          {dtype, {q[0], wide(shape.kv_heads), columns, wide(shape.value)}},
          {dtype, {q[0], wide(shape.q_heads), wide(shape.q_rows), columns}}};
}

namespace {

template <typename T>
void Attend(const AttentionShape& shape, const void* const* inputs, void* const* outputs,
            void* workspace) {
  const AttentionTensors in = TensorsOf(shape, inputs);
  AppendToPast(shape, shape.k, in.k, in.past_k, shape.head, static_cast<T*>(outputs[1]));
  AppendToPast(shape, shape.v, in.v, in.past_v, shape.value, static_cast<T*>(outputs[2]));
  auto* scores = static_cast<T*>(outputs[3]);
  for (std::size_t b = 0; b < shape.batches; ++b) {
    for (std::size_t h = 0; h < shape.q_heads; ++h) {
      for (std::size_t i = 0; i < shape.q_rows; ++i) {
        T* y = static_cast<T*>(outputs[0]) + b * shape.y.batch + h * shape.y.head + i * shape.y.row;
        AttendRow<T>(shape, in, b, h, i, y, scores, static_cast<Computed<T>*>(workspace));
        if (scores != nullptr) scores += shape.Columns();
      }
    }
  }
}

// Outputs: y, keys, values, scores.
Prepared PrepareAttention(const Call& call) {
  AttentionShape shape;
  if (std::string problem = ReadAttention(call, shape); !problem.empty()) return Refuse(problem);
  Prepared prepared;
  prepared.outputs = AttentionOutputs(call, shape);
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.workspace = (2 * shape.Columns() + shape.value) * sizeof(Computed<T>);
    prepared.run = [shape](const void* const* inputs, void* const* outputs, void* workspace) {
      Attend<T>(shape, inputs, outputs, workspace);
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Attention, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("8 ulp + n * 2^-24")
    .Reads("causal")
    .Reads("scale")
    .Reads("cap")
    .Reads("left")
    .Reads("right")
    .Reads("scores")
    .Reads("q_heads")
    .Reads("kv_heads")
    .Run(&PrepareAttention);

}  // namespace
}  // namespace opledger
