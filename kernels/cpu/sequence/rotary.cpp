// RotaryEmbedding: rotates pairs of elements of each head by angles that depend on the row.
// https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/move/indices.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct RotaryShape {
  std::size_t batches = 0;
  std::size_t heads = 0;
  std::size_t rows = 0;
  std::size_t width = 0;  // of a head
  std::size_t pairs = 0;  // number of rotated pairs
  bool heads_first = true;
  bool interleaved = false;  // the elements of a pair are adjacent; otherwise half the width apart
  bool has_positions = false;
  std::int64_t positions = 0;  // rows of the tables

  std::size_t Offset(std::size_t batch, std::size_t head, std::size_t row) const {
    return (heads_first ? (batch * heads + head) * rows + row
                        : (batch * rows + row) * heads + head) *
           width;
  }
};

template <typename T>
void RotateHead(const RotaryShape& shape, const T* in, const T* cosines, const T* sines, T* out) {
  for (std::size_t i = 2 * shape.pairs; i < shape.width; ++i) out[i] = in[i];
  for (std::size_t i = 0; i < shape.pairs; ++i) {
    const std::size_t a = shape.interleaved ? 2 * i : i;
    const std::size_t b = shape.interleaved ? a + 1 : i + shape.pairs;
    const auto cosine = Load(cosines[i]);
    const auto sine = Load(sines[i]);
    const auto x = Load(in[a]);
    const auto y = Load(in[b]);
    Store(out[a], cosine * x - sine * y);
    Store(out[b], sine * x + cosine * y);
  }
}

// Inputs: x, cosines, sines, positions (optional int64). Parameters: heads (with 3 dimensions),
// pairs (0: all), interleaved. A row whose position is outside the tables is copied.
template <typename T>
void Rotate(const RotaryShape& shape, const void* const* inputs, T* out) {
  const auto* in = static_cast<const T*>(inputs[0]);
  for (std::size_t b = 0; b < shape.batches; ++b) {
    for (std::size_t row = 0; row < shape.rows; ++row) {
      std::int64_t place = static_cast<std::int64_t>(b * shape.rows + row);
      if (shape.has_positions) {
        place = CheckedIndex(static_cast<const std::int64_t*>(inputs[3])[place], shape.positions);
      }
      const std::size_t table = static_cast<std::size_t>(std::max<std::int64_t>(place, 0));
      for (std::size_t h = 0; h < shape.heads; ++h) {
        const std::size_t at = shape.Offset(b, h, row);
        if (place < 0) {
          std::copy_n(in + at, shape.width, out + at);
          continue;
        }
        RotateHead(shape, in + at, static_cast<const T*>(inputs[1]) + table * shape.pairs,
                   static_cast<const T*>(inputs[2]) + table * shape.pairs, out + at);
      }
    }
  }
}

Prepared PrepareRotary(const Call& call) {
  const Dimensions& x = call.Shape(0);
  if (x.size() != 3 && x.size() != 4) return Refuse("its input does not have 3 or 4 dimensions");
  RotaryShape shape;
  shape.heads_first = x.size() == 4;
  const std::int64_t heads = shape.heads_first ? x[1] : call.parameters.Integer("heads", 0);
  if (heads < 1 || (!shape.heads_first && x[2] % heads != 0)) {
    return Refuse("its heads do not divide its input");
  }
  shape.batches = static_cast<std::size_t>(x[0]);
  shape.heads = static_cast<std::size_t>(heads);
  shape.rows = static_cast<std::size_t>(x[shape.heads_first ? 2 : 1]);
  shape.width = static_cast<std::size_t>(shape.heads_first ? x[3] : x[2] / heads);
  const std::int64_t pairs = call.parameters.Integer("pairs", 0);
  shape.pairs = pairs == 0 ? shape.width / 2 : static_cast<std::size_t>(pairs);
  if (pairs < 0 || shape.pairs > shape.width / 2)
    return Refuse("it rotates more elements than a head has");
  shape.interleaved = call.parameters.Integer("interleaved", 0) != 0;
  shape.has_positions = call.Has(3);
  const auto last = static_cast<std::int64_t>(shape.pairs);
  const auto rows = static_cast<std::int64_t>(shape.rows);
  for (std::size_t i = 1; i < 3; ++i) {
    if (!call.Has(i) || call.Input(i).dtype != call.Input(0).dtype) {
      return Refuse("its tables and input differ in type");
    }
    const Dimensions& table = call.Shape(i);
    const bool fits = shape.has_positions
                          ? table.size() == 2 && table[1] == last && table == call.Shape(1)
                          : table == Dimensions{x[0], rows, last};
    if (!fits) return Refuse("its tables do not match its input");
  }
  if (shape.has_positions) {
    shape.positions = call.Shape(1)[0];
    if (call.Input(3).dtype != Dtype::kInt64 || call.Shape(3) != Dimensions{x[0], rows}) {
      return Refuse("its positions are not one int64 per row");
    }
  }
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [shape](const void* const* inputs, void* const* outputs, void*) {
      Rotate<T>(shape, inputs, static_cast<T*>(outputs[0]));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(RotaryEmbedding, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("2 ulp")
    .Reads("heads")
    .Reads("pairs")
    .Reads("interleaved")
    .Run(&PrepareRotary);

}  // namespace
}  // namespace opledger
