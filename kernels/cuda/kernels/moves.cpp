// Kernels that move elements without computing.
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "kernels/cuda/chain/chain.h"
#include "kernels/cuda/chain/strided_layout.h"
#include "kernels/cuda/kernels/kernels.h"

namespace opledger::cuda {
namespace {

// A copy between offsets in an input and an output, counted in elements.
struct PlannedCopy {
  CopyCall call = {};
  std::size_t input = 0;
  std::size_t output = 0;
  std::int64_t from_offset = 0;
  std::int64_t to_offset = 0;
};

void RunCopies(const std::vector<PlannedCopy>& copies, const void* const* inputs,
               void* const* outputs) {
  for (const PlannedCopy& copy : copies) {
    if (outputs[copy.output] == nullptr) continue;
    CopyCall call = copy.call;
    call.in = static_cast<const std::byte*>(inputs[copy.input]) + copy.from_offset * call.element;
    call.out = static_cast<std::byte*>(outputs[copy.output]) + copy.to_offset * call.element;
    Report(Module().copy(&call));
  }
}

// Prepares one strided copy that gives the reference's result; `from` has the strides of the input.
Prepared CopiedBy(const char* kernel, const Call& call, const Dimensions& shape,
                  const Dimensions& from, std::int64_t from_offset, const Dimensions& to) {
  ChosenKernel reference = ChooseKernel(kernel, call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const auto layouts = CopyLayoutsOf(shape, from, to);
  if (!layouts) return Refuse("it has too many dimensions");
  PlannedCopy copy;
  copy.call.element = static_cast<std::int32_t>(ElementSize(call.Input(0).dtype));
  copy.call.from = layouts->from;
  copy.call.to = layouts->to;
  copy.from_offset = from_offset;
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.run = [copies = std::vector{copy}](const void* const* inputs, void* const* outputs,
                                              void*) { RunCopies(copies, inputs, outputs); };
  return prepared;
}

// Parameter: order.
Prepared PrepareTranspose(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const Integers order = call.parameters.List("order");
  if (order.size() != shape.size()) return Refuse("its order is not a permutation");
  const Dimensions strides = Strides(shape);
  Dimensions result;
  Dimensions from;
  for (const std::int64_t each : order) {
    if (each < 0 || each >= static_cast<std::int64_t>(shape.size())) {
      return Refuse("its order is not a permutation");
    }
    result.push_back(shape[each]);
    from.push_back(strides[each]);
  }
  return CopiedBy("Transpose", call, result, from, 0, Strides(result));
}

// Parameters: starts, steps, shape.
Prepared PrepareSlice(const Call& call) {
  const Dimensions shape = call.parameters.List("shape");
  const Integers starts = call.parameters.List("starts");
  const Integers steps = call.parameters.List("steps");
  const Dimensions strides = Strides(call.Shape(0));
  if (starts.size() != strides.size() || steps.size() != strides.size() ||
      shape.size() != strides.size()) {
    return Refuse("its slices do not match its input's rank");
  }
  Dimensions from;
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    from.push_back(strides[d] * steps[d]);
    offset += strides[d] * starts[d];
  }
  return CopiedBy("Slice", call, shape, from, offset, Strides(shape));
}

// Parameter: shape.
Prepared PrepareExpand(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Expand", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const Dimensions& shape = reference.prepared.outputs[0].dimensions;
  Dimensions padded(shape.size() - call.Shape(0).size(), 1);
  padded.insert(padded.end(), call.Shape(0).begin(), call.Shape(0).end());
  Dimensions from = Strides(padded);
  for (std::size_t d = 0; d < padded.size(); ++d) {
    if (padded[d] == 1) from[d] = 0;
  }
  return CopiedBy("Expand", call, shape, from, 0, Strides(shape));
}

std::int64_t InnerSize(const Dimensions& shape, std::size_t axis) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end(),
                         std::int64_t{1}, std::multiplies<>());
}

// Plans a copy of a slice of `whole` along `axis`, from `at` on and as long as `part`, into or out
// of it.
PlannedCopy CopyOfPart(const Dimensions& whole, const Dimensions& part, std::size_t axis,
                       std::size_t element, bool into_whole) {
  PlannedCopy copy;
  copy.call.element = static_cast<std::int32_t>(element);
  const std::int64_t row = InnerSize(part, axis);
  const std::int64_t rows = InnerSize(part, 0) / (row == 0 ? 1 : row);
  const auto layouts = CopyLayoutsOf({rows, row}, {into_whole ? row : InnerSize(whole, axis), 1},
                                     {into_whole ? InnerSize(whole, axis) : row, 1});
  copy.call.from = layouts->from;
  copy.call.to = layouts->to;
  return copy;
}

// Parameter: axis.
Prepared PrepareConcat(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Concat", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const auto axis = static_cast<std::size_t>(call.parameters.Integer("axis", 0));
  const TensorType& result = reference.prepared.outputs[0];
  std::vector<PlannedCopy> copies;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    copies.push_back(
        CopyOfPart(result.dimensions, call.Shape(i), axis, ElementSize(result.dtype), true));
    copies.back().input = i;
    copies.back().to_offset = at;
    at += InnerSize(call.Shape(i), axis);
  }
  Prepared prepared;
  prepared.outputs = {result};
  prepared.run = [copies](const void* const* inputs, void* const* outputs, void*) {
    RunCopies(copies, inputs, outputs);
  };
  return prepared;
}

// Parameters: axis, sizes.
Prepared PrepareSplit(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Split", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const auto axis = static_cast<std::size_t>(call.parameters.Integer("axis", 0));
  std::vector<PlannedCopy> copies;
  std::int64_t at = 0;
  const auto& parts = reference.prepared.outputs;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    copies.push_back(CopyOfPart(call.Shape(0), parts[i].dimensions, axis,
                                ElementSize(call.Input(0).dtype), false));
    copies.back().output = i;
    copies.back().from_offset = at;
    at += InnerSize(parts[i].dimensions, axis);
  }
  Prepared prepared;
  prepared.outputs = parts;
  prepared.run = [copies](const void* const* inputs, void* const* outputs, void*) {
    RunCopies(copies, inputs, outputs);
  };
  return prepared;
}

// Inputs: data, indices. Parameter: axis.
Prepared PrepareGather(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Gather", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const auto type = ElementTypeOf(call.Input(1).dtype);
  if (!type || (*type != kI32 && *type != kI64))
    return Refuse("its indices are not int32 or int64");
  const auto axis = static_cast<std::size_t>(call.parameters.Integer("axis", 0));
  const Dimensions& shape = call.Shape(0);
  GatherCall gather = {};
  gather.element = static_cast<std::int32_t>(ElementSize(call.Input(0).dtype));
  gather.index_type = *type;
  gather.outer = 1;
  for (std::size_t d = 0; d < axis; ++d) gather.outer *= shape[d];
  gather.size = shape[axis];
  gather.inner = InnerSize(shape, axis + 1);
  gather.index_count = static_cast<std::int64_t>(Elements(call.Shape(1)));
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.run = [gather](const void* const* inputs, void* const* outputs, void*) {
    GatherCall filled = gather;
    filled.in = inputs[0];
    filled.indices = inputs[1];
    filled.out = outputs[0];
    Report(Module().gather(&filled));
  };
  return prepared;
}

#define OPLEDGER_CUDA_MOVE(NAME)     \
  OPLEDGER_KERNEL(NAME, "cuda")      \
      .Types("T", OPLEDGER_CUDA_ANY) \
      .ErrorBound("exact")           \
      .Run(&Prepare##NAME);
OPLEDGER_CUDA_MOVE(Transpose)
OPLEDGER_CUDA_MOVE(Slice)
OPLEDGER_CUDA_MOVE(Expand)
OPLEDGER_CUDA_MOVE(Concat)
OPLEDGER_CUDA_MOVE(Split)
OPLEDGER_CUDA_MOVE(Gather)

}  // namespace
}  // namespace opledger::cuda
