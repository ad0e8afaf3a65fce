// Writes elements to indices: individually (ScatterElements), in blocks by tuples (ScatterNd), or
// from one index on (TensorScatter). Elements with the same index may be reduced; the whole tensor
// is then computed in float32 and rounded once. Indices that are out of range are reported and
// skipped.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/move/indices.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

enum class Reduction { kLast, kAdd, kMul, kMax, kMin };

std::optional<Reduction> ReductionOf(const Call& call) {
  const std::string word = call.parameters.Word("reduction", "none");
  if (word == "none") return Reduction::kLast;
  if (word == "add") return Reduction::kAdd;
  if (word == "mul") return Reduction::kMul;
  if (word == "max") return Reduction::kMax;
  if (word == "min") return Reduction::kMin;
  return std::nullopt;
}

bool ReductionIsUnknown(const Call& call) { return !ReductionOf(call); }

template <typename V>
V ReduceAt(Reduction reduction, V there, V update) {
  switch (reduction) {
    case Reduction::kLast:
      return update;
    case Reduction::kAdd:
      return function::Plus(there, update);
    case Reduction::kMul:
      return function::Times(there, update);
    case Reduction::kMax:
      if constexpr (std::is_floating_point_v<V>) return function::Maximum(there, update);
      return std::max(there, update);
    case Reduction::kMin:
      if constexpr (std::is_floating_point_v<V>) return function::Minimum(there, update);
      return std::min(there, update);
  }
  return there;
}

bool UpdatesDiffer(const Call& call) {
  return !HasIndices(call, 1) || !call.Has(2) || call.Input(2).dtype != call.Input(0).dtype;
}

// Runs `place` with a callback that writes update `from` to element `to`. `place` reads the
// indices.
template <typename Place>
Prepared PrepareScatter(const Call& call, const Place& place) {
  const Reduction reduction = *ReductionOf(call);
  const std::size_t count = Elements(call.Shape(0));
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  if (reduction == Reduction::kLast) {
    WithSize(ElementSize(call.Input(0).dtype), [&]<typename T>(T*) {
      prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
        auto* out = static_cast<T*>(outputs[0]);
        if (count > 0) std::memcpy(out, inputs[0], count * sizeof(T));
        const auto* updates = static_cast<const T*>(inputs[2]);
        place(inputs[1], [&](std::size_t to, std::size_t from) { out[to] = updates[from]; });
      };
    });
    return prepared;
  }
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    using V = Computed<T>;
    prepared.workspace = count * sizeof(V);
    prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
      const auto* in = static_cast<const T*>(inputs[0]);
      const auto* updates = static_cast<const T*>(inputs[2]);
      auto* sums = static_cast<V*>(workspace);
      for (std::size_t i = 0; i < count; ++i) sums[i] = Load(in[i]);
      place(inputs[1], [&](std::size_t to, std::size_t from) {
        sums[to] = ReduceAt<V>(reduction, sums[to], Load(updates[from]));
      });
      for (std::size_t i = 0; i < count; ++i) Store(static_cast<T*>(outputs[0])[i], sums[i]);
    };
  });
  if (!prepared.run) return Refuse("it reduces elements that are not numeric");
  return prepared;
}

// Inputs: data, indices, updates of the same shape as the indices. Parameters: axis, reduction.
Prepared PrepareScatterElements(const Call& call) {
  const Dimensions& data = call.Shape(0);
  const Dimensions shape = call.Shape(1);
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  const auto rank = static_cast<std::int64_t>(data.size());
  if (axis < 0 || axis >= rank || shape.size() != data.size() || call.Shape(2) != shape) {
    return Refuse("its data, indices and updates do not match");
  }
  for (std::int64_t d = 0; d < rank; ++d) {
    if (d != axis && shape[d] > data[d]) return Refuse("its indices are larger than the data");
  }
  const Dimensions strides = Strides(data);
  const std::int64_t size = data[axis];
  const std::size_t count = Elements(shape);
  const bool wide = call.Input(1).dtype == Dtype::kInt64;
  return PrepareScatter(call, [=](const void* indices, const auto& put) {
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t offset = 0;
      auto rest = static_cast<std::int64_t>(i);
      for (std::int64_t d = rank; d-- > 0; rest /= shape[d]) {
        if (d != axis) offset += rest % shape[d] * strides[d];
      }
      const std::int64_t at = CheckedIndex(IndexAt(indices, wide, i), size);
      if (at >= 0) put(static_cast<std::size_t>(offset + at * strides[axis]), i);
    }
  });
}

// Inputs: data, tuples of indices, updates. Parameter: reduction.
Prepared PrepareScatterNd(const Call& call) {
  const Dimensions& data = call.Shape(0);
  const Dimensions& tuples = call.Shape(1);
  if (tuples.empty() || tuples.back() > static_cast<std::int64_t>(data.size())) {
    return Refuse("its index tuples do not match its data");
  }
  const std::int64_t width = tuples.back();
  Dimensions updates(tuples.begin(), tuples.end() - 1);
  const std::size_t count = Elements(updates);
  updates.insert(updates.end(), data.begin() + width, data.end());
  if (updates != call.Shape(2)) return Refuse("its updates do not match its data and indices");
  const std::size_t block = Elements(Dimensions(data.begin() + width, data.end()));
  const Dimensions sizes(data.begin(), data.begin() + width);
  const bool wide = call.Input(1).dtype == Dtype::kInt64;
  return PrepareScatter(call, [=](const void* indices, const auto& put) {
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t place = 0;
      for (std::int64_t d = 0; d < width && place >= 0; ++d) {
        const std::size_t k = i * static_cast<std::size_t>(width) + static_cast<std::size_t>(d);
        const std::int64_t at = CheckedIndex(IndexAt(indices, wide, k), sizes[d]);
        place = at < 0 ? -1 : place * sizes[d] + at;
      }
      for (std::size_t k = 0; place >= 0 && k < block; ++k) {
        put(static_cast<std::size_t>(place) * block + k, i * block + k);
      }
    }
  });
}

// Inputs: past, update, the start of each batch's update (optional). Parameters: axis, circular.
Prepared PrepareTensorScatter(const Call& call) {
  const Dimensions& past = call.Shape(0);
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  if (axis < 1 || axis >= static_cast<std::int64_t>(past.size()) || !call.Has(1) ||
      call.Input(1).dtype != call.Input(0).dtype) {
    return Refuse("its update or axis does not match its past");
  }
  Dimensions expected = past;
  expected[axis] = call.Shape(1).size() == past.size() ? call.Shape(1)[axis] : -1;
  if (call.Shape(1) != expected || expected[axis] > past[axis]) {
    return Refuse("its update does not match its past");
  }
  if (call.Has(2) && (!HasIndices(call, 2) || call.Shape(2) != Dimensions{past[0]})) {
    return Refuse("its indices are not one per batch");
  }
  const bool has_start = call.Has(2);
  const bool circular = call.parameters.Integer("circular", 0) != 0;
  const bool wide = call.Has(2) && call.Input(2).dtype == Dtype::kInt64;
  const std::size_t block =
      Elements(Dimensions(past.begin() + axis + 1, past.end())) * ElementSize(call.Input(0).dtype);
  const std::int64_t rows = past[axis];
  const std::int64_t length = expected[axis];
  const std::size_t total = Bytes(call.Input(0));
  const auto runs = static_cast<std::int64_t>(
      Elements(Dimensions(past.begin(), past.begin() + axis)));  // of dimensions before
  const std::int64_t runs_of_batch = past[0] == 0 ? 1 : runs / past[0];
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
    auto* out = static_cast<std::byte*>(outputs[0]);
    const auto* update = static_cast<const std::byte*>(inputs[1]);
    if (total == 0) return;
    std::memcpy(out, inputs[0], total);
    for (std::int64_t i = 0; i < runs; ++i) {
      const auto batch = static_cast<std::size_t>(i / runs_of_batch);
      const std::int64_t start = has_start ? IndexAt(inputs[2], wide, batch) : 0;
      for (std::int64_t k = 0; k < length; ++k, update += block) {
        const bool begins = start >= 0 && start <= INT64_MAX - k;
        const std::int64_t row = !begins ? -1 : circular ? (start + k) % rows : start + k;
        if (!begins || row >= rows) {
          ReportOutside(begins ? row : start, rows);
        } else {
          std::memcpy(out + static_cast<std::size_t>(i * rows + row) * block, update, block);
        }
      }
    }
  };
  return prepared;
}

OPLEDGER_KERNEL(ScatterElements, "cpu")
    .Types("T", OPLEDGER_ANY)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Reads("reduction: none, add, mul, max, min")
    .Reads("axis")
    .Refuses("its indices or updates have the wrong type", &UpdatesDiffer)
    .Refuses("its reduction is unknown", &ReductionIsUnknown)
    .Run(&PrepareScatterElements);
OPLEDGER_KERNEL(ScatterNd, "cpu")
    .Types("T", OPLEDGER_ANY)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Reads("reduction: none, add, mul, max, min")
    .Refuses("its indices or updates have the wrong type", &UpdatesDiffer)
    .Refuses("its reduction is unknown", &ReductionIsUnknown)
    .Run(&PrepareScatterNd);
OPLEDGER_KERNEL(TensorScatter, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("axis")
    .Reads("circular")
    .Run(&PrepareTensorScatter);

}  // namespace
}  // namespace opledger
