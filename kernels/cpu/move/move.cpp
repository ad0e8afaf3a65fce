// Moves elements without computing, by the size of an element.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/move/move.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/tensor/strided_copy.h"

namespace opledger {
// Parameter: order: the input dimension for each output dimension.
StatusOr<StridedCopy> CopyOfTranspose(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const Integers order = call.parameters.List("order");
  Integers sorted = order;
  std::sort(sorted.begin(), sorted.end());
  Integers all(shape.size());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) {
    return Status("its order is not a permutation of its input's dimensions");
  }
  const Dimensions strides = Strides(shape);
  StridedCopy copy;
  for (const std::int64_t each : order) {
    copy.shape.push_back(shape[each]);
    copy.from.push_back(strides[each]);
  }
  copy.to = Strides(copy.shape);
  return copy;
}

// Parameters: starts, steps, shape, for every dimension; starts are within the input.
StatusOr<StridedCopy> CopyOfSlice(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const Integers starts = call.parameters.List("starts");
  const Integers steps = call.parameters.List("steps");
  StridedCopy copy;
  copy.shape = call.parameters.List("shape");
  if (starts.size() != shape.size() || steps.size() != shape.size() ||
      copy.shape.size() != shape.size()) {
    return Status("its slices do not match its input's rank");
  }
  const Dimensions strides = Strides(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t last = starts[i] + (copy.shape[i] - 1) * steps[i];
    if (copy.shape[i] < 0 || (copy.shape[i] > 0 && (starts[i] < 0 || starts[i] >= shape[i] ||
                                                    last < 0 || last >= shape[i]))) {
      return Status("its slices are out of range");
    }
    copy.from.push_back(strides[i] * steps[i]);
    copy.from_offset += strides[i] * starts[i];
  }
  copy.to = Strides(copy.shape);
  return copy;
}

// Parameter: shape: the output's, to which the input broadcasts.
StatusOr<StridedCopy> CopyOfExpand(const Call& call) {
  const auto shape = Broadcast({call.Shape(0), call.parameters.List("shape")});
  if (!shape) {
    return Status(Text(call.Input(0)) + " does not broadcast to its shape");
  }
  if (const TensorType output{call.Input(0).dtype, *shape}; !CheckSize(output)) {
    return Status(OutputProblem(output));
  }
  StridedCopy copy;
  copy.shape = *shape;
  copy.from = BroadcastStrides(call.Shape(0), shape->size());
  copy.to = Strides(*shape);
  return copy;
}

namespace {

Step CopyStep(StridedCopy copy, std::size_t size) {
  return [copy = std::move(copy), size](const void* const* inputs, void* const* outputs, void*) {
    copy.Run(inputs[0], outputs[0], size);
  };
}

// Prepares a call that is one strided copy.
template <StatusOr<StridedCopy> (*kCopyOf)(const Call&)>
Prepared PrepareCopy(const Call& call) {
  auto copy = kCopyOf(call);
  if (!copy) return Refuse(copy.status());
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, copy->shape}};
  prepared.run = CopyStep(std::move(*copy), ElementSize(call.Input(0).dtype));
  return prepared;
}

// Parameter: repeats, for each dimension.
Prepared PrepareTile(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const Integers repeats = call.parameters.List("repeats");
  if (repeats.size() != shape.size()) return Refuse("its repeats do not match its input's rank");
  Dimensions whole = shape;
  StridedCopy copy;  // has two dimensions for each: the repetition, and the dimension itself
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (repeats[i] < 0 || __builtin_mul_overflow(shape[i], repeats[i], &whole[i])) {
      return Refuse("its repeats are negative or too large");
    }
  }
  const Dimensions from = Strides(shape);
  const Dimensions to = Strides(whole);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    copy.shape.insert(copy.shape.end(), {repeats[i], shape[i]});
    copy.from.insert(copy.from.end(), {0, from[i]});
    copy.to.insert(copy.to.end(), {to[i] * shape[i], to[i]});
  }
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, whole}};
  prepared.run = CopyStep(std::move(copy), ElementSize(call.Input(0).dtype));
  return prepared;
}

std::int64_t Product(const Dimensions& shape, std::size_t begin, std::size_t end) {
  std::int64_t product = 1;
  for (std::size_t i = begin; i < end; ++i) product *= shape[i];
  return product;
}

// Parameter: axis.
Prepared PrepareConcat(const Call& call) {
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  Dimensions shape = call.Shape(0);
  if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size()))
    return Refuse("its axis is out of range");
  shape[axis] = 0;
  const std::size_t size = ElementSize(call.Input(0).dtype);
  std::vector<std::size_t> blocks;  // bytes of each input per step of the outer dimensions
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (!call.Has(i) || call.Input(i).dtype != call.Input(0).dtype ||
        call.Shape(i).size() != shape.size()) {
      return Refuse("its inputs differ in type or rank");
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (d != static_cast<std::size_t>(axis) && call.Shape(i)[d] != shape[d]) {
        return Refuse("its inputs differ in a dimension other than its axis");
      }
    }
    shape[axis] += call.Shape(i)[axis];
    blocks.push_back(static_cast<std::size_t>(Product(call.Shape(i), axis, shape.size())) * size);
  }
  const auto outer = static_cast<std::size_t>(Product(shape, 0, axis));
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, shape}};
  prepared.run = [blocks, outer](const void* const* inputs, void* const* outputs, void*) {
    auto* out = static_cast<std::byte*>(outputs[0]);
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i] == 0) continue;
        std::memcpy(out, static_cast<const std::byte*>(inputs[i]) + o * blocks[i], blocks[i]);
        out += blocks[i];
      }
    }
  };
  return prepared;
}

// Parameters: axis; sizes: of each part along it.
Prepared PrepareSplit(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  const Integers sizes = call.parameters.List("sizes");
  if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size()))
    return Refuse("its axis is out of range");
  std::int64_t left = shape[axis];
  for (const std::int64_t each : sizes) {
    if (each < 0 || each > left) return Refuse("its parts do not add up to its input");
    left -= each;
  }
  if (left != 0) return Refuse("its parts do not add up to its input");
  const std::size_t size = ElementSize(call.Input(0).dtype);
  const auto inner = static_cast<std::size_t>(Product(shape, axis + 1, shape.size())) * size;
  const auto outer = static_cast<std::size_t>(Product(shape, 0, axis));
  Prepared prepared;
  for (const std::int64_t part : sizes) {
    prepared.outputs.push_back({call.Input(0).dtype, shape});
    prepared.outputs.back().dimensions[axis] = part;
  }
  prepared.run = [sizes, inner, outer](const void* const* inputs, void* const* outputs, void*) {
    const auto* in = static_cast<const std::byte*>(inputs[0]);
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::size_t block = static_cast<std::size_t>(sizes[i]) * inner;
        if (outputs[i] != nullptr && block != 0) {
          std::memcpy(static_cast<std::byte*>(outputs[i]) + o * block, in, block);
        }
        in += block;
      }
    }
  };
  return prepared;
}

OPLEDGER_KERNEL(Transpose, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("order")
    .Rounds(Rounding::kNone)
    .Run(&PrepareCopy<&CopyOfTranspose>);
OPLEDGER_KERNEL(Slice, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("starts")
    .Reads("steps")
    .Reads("shape")
    .Rounds(Rounding::kNone)
    .Run(&PrepareCopy<&CopyOfSlice>);
OPLEDGER_KERNEL(Expand, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("shape")
    .Rounds(Rounding::kNone)
    .Run(&PrepareCopy<&CopyOfExpand>);
OPLEDGER_KERNEL(Tile, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("repeats")
    .Rounds(Rounding::kNone)
    .Run(&PrepareTile);
OPLEDGER_KERNEL(Concat, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("axis")
    .ChannelsLast(ChannelsLastUse::kByAxis)
    .Rounds(Rounding::kNone)
    .Run(&PrepareConcat);
OPLEDGER_KERNEL(Split, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("axis")
    .Reads("sizes")
    .Rounds(Rounding::kNone)
    .Run(&PrepareSplit);

}  // namespace
}  // namespace opledger
