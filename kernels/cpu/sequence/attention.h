// Reads a call of Attention: the layout of its tensors, and the bias of its scores.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {

// Strides of the heads and rows of a tensor; the elements of a row are contiguous.
struct HeadStrides {
  std::size_t batch;
  std::size_t head;
  std::size_t row;
};

enum class Scores { kProducts, kCapped, kBiased, kProbabilities };

struct AttentionShape {
  std::size_t batches = 0;
  std::size_t q_heads = 0;
  std::size_t kv_heads = 0;
  std::size_t q_rows = 0;
  std::size_t past = 0;     // past rows of keys
  std::size_t kv_rows = 0;  // without the past ones
  std::size_t head = 0;     // elements of a row of q and k
  std::size_t value = 0;    // elements of a row of v
  HeadStrides q, k, v, y;
  bool has_mask = false;
  bool mask_is_bool = false;
  std::size_t mask_strides[3] = {};  // batch, head, row
  std::size_t mask_columns = 0;
  bool has_valid = false;
  bool causal = false;
  double scale = 1;
  double cap = 0;
  std::int64_t left = -1;
  std::int64_t right = -1;
  Scores scores = Scores::kProducts;

  std::size_t Columns() const { return past + kv_rows; }
};

struct AttentionTensors {
  const void* q;
  const void* k;
  const void* v;
  const void* mask;
  const void* past_k;
  const void* past_v;
  const std::int64_t* valid;  // rows of keys that count, for each batch
};

// Row `column` of the keys or values of a head; past rows come first.
template <typename T>
const T* RowOf(const AttentionShape& shape, const HeadStrides& strides, const void* now,
               const void* past, std::size_t batch, std::size_t head, std::size_t width,
               std::size_t column) {
  if (column < shape.past) {
    const std::size_t row = (batch * shape.kv_heads + head) * shape.past + column;
    return static_cast<const T*>(past) + row * width;
  }
  return static_cast<const T*>(now) + batch * strides.batch + head * strides.head +
         (column - shape.past) * strides.row;
}

// Returns the bias of a column's score, or -infinity if the row does not see the column.
template <typename T>
Computed<T> BiasAt(const AttentionShape& shape, const AttentionTensors& in, std::size_t batch,
                   std::size_t head, std::size_t row, std::size_t column) {
  using V = Computed<T>;
  constexpr V kNever = -std::numeric_limits<V>::infinity();
  const auto at = static_cast<std::int64_t>(column);
  std::int64_t before = static_cast<std::int64_t>(shape.past);
  if (shape.has_valid) {
    const std::int64_t valid = in.valid[batch];
    if (at >= valid) return kNever;
    before = valid - static_cast<std::int64_t>(shape.q_rows);
  }
  const std::int64_t place = static_cast<std::int64_t>(row) + before;
  if (shape.causal && at > place) return kNever;
  if (shape.left >= 0 && place - at > shape.left) return kNever;
  if (shape.right >= 0 && at - place > shape.right) return kNever;
  if (!shape.has_mask) return 0;
  if (column >= shape.mask_columns) return kNever;
  const std::size_t element = batch * shape.mask_strides[0] + head * shape.mask_strides[1] +
                              row * shape.mask_strides[2] + column;
  if (shape.mask_is_bool) {
    return static_cast<const std::uint8_t*>(in.mask)[element] != 0 ? V(0) : kNever;
  }
  return Load(static_cast<const T*>(in.mask)[element]);
}

// Joins past and current rows, as batch, head, row. Does nothing if `out` is nullptr.
template <typename T>
void AppendToPast(const AttentionShape& shape, const HeadStrides& strides, const void* now,
                  const void* past, std::size_t width, T* out) {
  if (out == nullptr) return;
  for (std::size_t b = 0; b < shape.batches; ++b) {
    for (std::size_t h = 0; h < shape.kv_heads; ++h) {
      for (std::size_t j = 0; j < shape.Columns(); ++j, out += width) {
        std::copy_n(RowOf<T>(shape, strides, now, past, b, h, width, j), width, out);
      }
    }
  }
}

// Reads a call and its parameters. Returns an empty string, or why the call is invalid.
std::string ReadAttention(const Call& call, AttentionShape& shape);
// Types of y, keys, values and scores. Sets the strides of y.
std::vector<TensorType> AttentionOutputs(const Call& call, AttentionShape& shape);

inline AttentionTensors TensorsOf(const AttentionShape& shape, const void* const* inputs) {
  const auto at = [&](std::size_t i, bool is) { return is ? inputs[i] : nullptr; };
  return {inputs[0],
          inputs[1],
          inputs[2],
          at(3, shape.has_mask),
          at(4, shape.past > 0),
          at(5, shape.past > 0),
          static_cast<const std::int64_t*>(at(6, shape.has_valid))};
}

}  // namespace opledger
