// Elements taken by index: along one axis in blocks (Gather), individually (GatherElements), or by
// tuples (GatherNd). Negative indices count from the end. Indices that are out of range are
// reported and take zeros.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/move/indices.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct AxisBlocks {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;  // elements
};

AxisBlocks BlocksOf(const Dimensions& shape, std::int64_t axis) {
  AxisBlocks blocks;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(shape.size()); ++i) {
    (i < axis ? blocks.outer : i == axis ? blocks.size : blocks.inner) *= shape[i];
  }
  return blocks;
}

bool AxisIsWrong(const Call& call) {
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  return axis < 0 || axis >= static_cast<std::int64_t>(call.Input(0).Rank());
}

bool IndicesAreNone(const Call& call) { return !HasIndices(call, 1); }

// Inputs: data, indices. Parameter: axis.
Prepared PrepareGather(const Call& call) {
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  const AxisBlocks blocks = BlocksOf(call.Shape(0), axis);
  Dimensions shape(call.Shape(0).begin(), call.Shape(0).begin() + axis);
  shape.insert(shape.end(), call.Shape(1).begin(), call.Shape(1).end());
  shape.insert(shape.end(), call.Shape(0).begin() + axis + 1, call.Shape(0).end());
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, shape}};
  const std::size_t bytes =
      static_cast<std::size_t>(blocks.inner) * ElementSize(call.Input(0).dtype);
  const std::size_t indices = Elements(call.Shape(1));
  WithIndex(call.Input(1).dtype, [&]<typename I>(I*) {
    prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
      if (bytes == 0) return;
      const auto* index = static_cast<const I*>(inputs[1]);
      auto* out = static_cast<std::byte*>(outputs[0]);
      for (std::int64_t o = 0; o < blocks.outer; ++o) {
        const auto* in = static_cast<const std::byte*>(inputs[0]) +
                         static_cast<std::size_t>(o * blocks.size) * bytes;
        for (std::size_t i = 0; i < indices; ++i, out += bytes) {
          const std::int64_t at = CheckedIndex(index[i], blocks.size);
          if (at < 0) {
            std::memset(out, 0, bytes);
          } else {
            std::memcpy(out, in + static_cast<std::size_t>(at) * bytes, bytes);
          }
        }
      }
    };
  });
  return prepared;
}

// Inputs: data, indices of the same rank. Parameter: axis.
Prepared PrepareGatherElements(const Call& call) {
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  const Dimensions& shape = call.Shape(1);
  if (shape.size() != call.Shape(0).size()) return Refuse("its indices and data differ in rank");
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (static_cast<std::int64_t>(d) != axis && shape[d] > call.Shape(0)[d]) {
      return Refuse("its indices are larger than the data");
    }
  }
  const Dimensions strides = Strides(call.Shape(0));
  const std::int64_t size = call.Shape(0)[axis];
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, shape}};
  WithSize(ElementSize(call.Input(0).dtype), [&]<typename T>(T*) {
    WithIndex(call.Input(1).dtype, [&]<typename I>(I*) {
      prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
        const auto* in = static_cast<const T*>(inputs[0]);
        const auto* index = static_cast<const I*>(inputs[1]);
        auto* out = static_cast<T*>(outputs[0]);
        const std::size_t total = Elements(shape);
        for (std::size_t i = 0; i < total; ++i) {
          std::int64_t offset = 0;
          std::int64_t rest = static_cast<std::int64_t>(i);
          for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
            if (static_cast<std::int64_t>(d) != axis) offset += rest % shape[d] * strides[d];
          }
          const std::int64_t at = CheckedIndex(index[i], size);
          out[i] = at < 0 ? T{} : in[offset + at * strides[axis]];
        }
      };
    });
  });
  return prepared;
}

// Inputs: data, indices whose last dimension is a tuple. Parameter: batch: number of leading
// dimensions that both share.
Prepared PrepareGatherNd(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const Dimensions& tuples = call.Shape(1);
  const std::int64_t batch = call.parameters.Integer("batch", 0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (tuples.empty() || batch < 0 || batch >= static_cast<std::int64_t>(tuples.size()) ||
      tuples.back() > rank - batch) {
    return Refuse("its index tuples do not match its data");
  }
  if (!std::equal(shape.begin(), shape.begin() + batch, tuples.begin())) {
    return Refuse("its data and indices differ in their batch dimensions");
  }
  const std::int64_t width = tuples.back();
  Dimensions out_shape(tuples.begin(), tuples.end() - 1);
  out_shape.insert(out_shape.end(), shape.begin() + batch + width, shape.end());
  const Dimensions sizes(shape.begin() + batch, shape.begin() + batch + width);
  const AxisBlocks blocks = BlocksOf(shape, batch + width - 1);  // inner: elements of a tuple
  const std::size_t bytes =
      static_cast<std::size_t>(blocks.inner) * ElementSize(call.Input(0).dtype);
  const auto batches =
      static_cast<std::int64_t>(Elements(Dimensions(shape.begin(), shape.begin() + batch)));
  const auto count =
      static_cast<std::int64_t>(Elements(Dimensions(tuples.begin(), tuples.end() - 1)));
  const auto places = static_cast<std::int64_t>(Elements(sizes));  // per batch
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, out_shape}};
  WithIndex(call.Input(1).dtype, [&]<typename I>(I*) {
    prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
      if (bytes == 0 || batches == 0) return;
      const auto* index = static_cast<const I*>(inputs[1]);
      for (std::int64_t i = 0; i < count; ++i, index += width) {
        std::int64_t place = 0;
        for (std::int64_t d = 0; d < width && place >= 0; ++d) {
          const std::int64_t at = CheckedIndex(index[d], sizes[d]);
          place = at < 0 ? -1 : place * sizes[d] + at;
        }
        auto* out = static_cast<std::byte*>(outputs[0]) + static_cast<std::size_t>(i) * bytes;
        if (place < 0) {
          std::memset(out, 0, bytes);
          continue;
        }
        place += i / (count / batches) * places;
        std::memcpy(
            out, static_cast<const std::byte*>(inputs[0]) + static_cast<std::size_t>(place) * bytes,
            bytes);
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Gather, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("axis")
    .Refuses("its axis is out of range", &AxisIsWrong)
    .Refuses("its indices are not int32 or int64", &IndicesAreNone)
    .Rounds(Rounding::kNone)
    .Run(&PrepareGather);
OPLEDGER_KERNEL(GatherElements, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("axis")
    .Refuses("its axis is out of range", &AxisIsWrong)
    .Refuses("its indices are not int32 or int64", &IndicesAreNone)
    .Rounds(Rounding::kNone)
    .Run(&PrepareGatherElements);
OPLEDGER_KERNEL(GatherNd, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("batch")
    .Refuses("its indices are not int32 or int64", &IndicesAreNone)
    .Rounds(Rounding::kNone)
    .Run(&PrepareGatherNd);

}  // namespace
}  // namespace opledger
