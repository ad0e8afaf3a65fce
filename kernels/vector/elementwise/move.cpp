// Transpose, Slice and Expand. Dimensions with a common stride are merged, rows that are contiguous
// on both sides are copied, and planes that are transposed are moved in small squares.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/move/move.h"

#include <cstring>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"
#include "kernels/vector/rows/rows.h"
#include "kernels/vector/rows/transpose.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxDimensions = 32;
constexpr std::int64_t kTransposedRows = 32;  // rows that are transposed at a time

// A copy that writes its output in order. Walks over the outer dimensions and copies a plane at
// each: `rows` rows of `count` elements that are contiguous in the output.
struct OrderedCopy {
  Dimensions shape;  // outer
  Dimensions from;
  Dimensions to;
  std::int64_t from_offset = 0;
  std::int64_t count = 1;   // elements of a row
  std::int64_t step = 1;    // distance of these in the input
  std::int64_t rows = 0;    // 0: planes are not transposed; otherwise adjacent rows in the input
  std::int64_t row_to = 0;  // distance of rows in the output

  std::size_t Planes() const;
  template <typename T>
  void Run(const T* in, T* out, std::size_t begin, std::size_t end) const;
  template <typename T>
  void CopyPlane(const T* in, T* out) const;
};

// Drops dimensions of 1 and merges those with a common stride on both sides.
StridedCopy Merged(const StridedCopy& copy) {
  StridedCopy merged;
  merged.from_offset = copy.from_offset;
  for (std::size_t d = 0; d < copy.shape.size(); ++d) {
    if (copy.shape[d] == 1) continue;
    const bool joins = !merged.shape.empty() &&
                       merged.from.back() == copy.from[d] * copy.shape[d] &&
                       merged.to.back() == copy.to[d] * copy.shape[d];
    if (joins) {
      merged.shape.back() *= copy.shape[d];
      merged.from.back() = copy.from[d];
      merged.to.back() = copy.to[d];
    } else {
      merged.shape.push_back(copy.shape[d]);
      merged.from.push_back(copy.from[d]);
      merged.to.push_back(copy.to[d]);
    }
  }
  return merged;
}

// Writes the output in order. Transposed planes are cut into tiles of kTransposedRows rows, so that
// threads can share the work.
OrderedCopy Ordered(const StridedCopy& copy) {
  const StridedCopy merged = Merged(copy);
  OrderedCopy ordered;
  ordered.from_offset = merged.from_offset;
  ordered.shape = merged.shape;
  ordered.from = merged.from;
  ordered.to = merged.to;
  if (ordered.shape.empty()) return ordered;
  ordered.count = ordered.shape.back();
  ordered.step = ordered.from.back();
  ordered.shape.pop_back();
  ordered.from.pop_back();
  ordered.to.pop_back();
  const auto along = std::find(ordered.from.begin(), ordered.from.end(), 1);
  if (ordered.step <= 1 || along == ordered.from.end()) return ordered;
  const auto d = along - ordered.from.begin();
  ordered.rows = ordered.shape[d];
  ordered.row_to = ordered.to[d];
  ordered.shape[d] = (ordered.rows + kTransposedRows - 1) / kTransposedRows;
  ordered.from[d] = kTransposedRows;
  ordered.to[d] *= kTransposedRows;
  // Tiles must be the last dimension: the walk derives the number of rows from them.
  std::rotate(ordered.shape.begin() + d, ordered.shape.begin() + d + 1, ordered.shape.end());
  std::rotate(ordered.from.begin() + d, ordered.from.begin() + d + 1, ordered.from.end());
  std::rotate(ordered.to.begin() + d, ordered.to.begin() + d + 1, ordered.to.end());
  return ordered;
}

std::size_t OrderedCopy::Planes() const { return Elements(shape); }

template <typename T>
void OrderedCopy::CopyPlane(const T* in, T* out) const {
  if (step == 1) {
    std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(T));
  } else if (step == 0) {
    std::fill_n(out, count, *in);
  } else {
    for (std::int64_t i = 0; i < count; ++i) out[i] = in[i * step];
  }
}

template <typename T>
void OrderedCopy::Run(const T* in, T* out, std::size_t begin, std::size_t end) const {
  const std::size_t rank = shape.size();
  std::int64_t at[kMaxDimensions] = {};
  std::size_t rest = begin;
  in += from_offset;
  for (std::size_t d = rank; d-- > 0;) {
    at[d] = static_cast<std::int64_t>(rest % static_cast<std::size_t>(shape[d]));
    rest /= static_cast<std::size_t>(shape[d]);
    in += at[d] * from[d];
    out += at[d] * to[d];
  }
  for (std::size_t plane = begin; plane < end; ++plane) {
    if (rows == 0) {
      CopyPlane(in, out);
    } else {
      const std::int64_t some = std::min(kTransposedRows, rows - at[rank - 1] * kTransposedRows);
      TransposePlane(in, step, out, row_to, some, count);
    }
    for (std::size_t d = rank; d-- > 0;) {
      in += from[d];
      out += to[d];
      if (++at[d] < shape[d]) break;
      at[d] = 0;
      in -= from[d] * shape[d];
      out -= to[d] * shape[d];
    }
  }
}

Prepared PrepareOrdered(const Call& call, const StridedCopy& copy) {
  if (copy.shape.size() > kMaxDimensions) return Refuse("it has too many dimensions");
  if (Elements(copy.shape) == 0) return Refuse("it has an empty tensor");
  const OrderedCopy ordered = Ordered(copy);
  const std::size_t size = ElementSize(call.Input(0).dtype);
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, copy.shape}};
  prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
    const std::size_t planes = ordered.Planes();
    const std::size_t elements = Elements(copy.shape) / planes;
    ForParts(
        planes, 4 * kPartSize / elements + 1, [&](std::size_t begin, std::size_t end, std::size_t) {
          WithSize(size, [&]<typename T>(T*) {
            ordered.Run(static_cast<const T*>(inputs[0]), static_cast<T*>(outputs[0]), begin, end);
          });
        });
  };
  return prepared;
}

template <StatusOr<StridedCopy> (*kCopyOf)(const Call&)>
Prepared PrepareVectorMove(const Call& call) {
  const auto copy = kCopyOf(call);
  if (!copy) return Refuse(copy.status());
  return PrepareOrdered(call, *copy);
}

OPLEDGER_KERNEL(Transpose, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .By("vector")
    .Run(&PrepareVectorMove<&CopyOfTranspose>);
OPLEDGER_KERNEL(Slice, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .By("vector")
    .Run(&PrepareVectorMove<&CopyOfSlice>);
OPLEDGER_KERNEL(Expand, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .By("vector")
    .Run(&PrepareVectorMove<&CopyOfExpand>);

}  // namespace
}  // namespace opledger
