// Transposes into the workspace, computes there, and transposes back.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel/channels_last.h"

#include <algorithm>

#include "kernels/tensor/constant_tensor.h"
#include "kernels/tensor/strided_copy.h"

namespace opledger {

bool ChannelsLast(const Call& call) { return call.parameters.Integer("channels_last", 0) != 0; }

Dimensions ToChannelsFirst(const Dimensions& shape) {
  Dimensions first = shape;
  std::rotate(first.begin() + 1, first.end() - 1, first.end());
  return first;
}

Dimensions ToChannelsLast(const Dimensions& shape) {
  Dimensions last = shape;
  std::rotate(last.begin() + 1, last.begin() + 2, last.end());
  return last;
}

namespace {

// Copies from channels last to channels first, or, with `back`, the reverse; `first`: the shape N,
// C, ...
StridedCopy TransposedCopy(const Dimensions& first, bool back) {
  StridedCopy copy;
  copy.shape = first;
  Dimensions last = Strides(ToChannelsLast(first));
  copy.from = ToChannelsFirst(last);
  copy.to = Strides(first);
  if (back) std::swap(copy.from, copy.to);
  return copy;
}

}  // namespace

Prepared ThroughChannelsFirst(const Call& call, Prepare prepare) {
  if (call.Input(0).Rank() < 3) return Refuse("its input has no spatial dimensions");
  Call transposed = call;
  transposed.parameters.Set("channels_last", std::int64_t{0});
  transposed.inputs[0]->dimensions = ToChannelsFirst(call.Shape(0));
  transposed.constants[0] = nullptr;
  transposed.outputs = 1;
  Prepared prepared = prepare(transposed);
  if (!prepared.refusal.ok()) return prepared;
  prepared.outputs.resize(1);
  const TensorType input = *transposed.inputs[0];
  const TensorType result = prepared.outputs[0];
  const StridedCopy in = TransposedCopy(input.dimensions, false);
  const StridedCopy out = TransposedCopy(result.dimensions, true);
  prepared.outputs[0].dimensions = ToChannelsLast(result.dimensions);
  const std::size_t at_in = AlignedSize(prepared.workspace);
  const std::size_t at_out = at_in + AlignedSize(Bytes(input));
  prepared.workspace = at_out + AlignedSize(Bytes(result));
  const std::size_t size = ElementSize(input.dtype);
  const std::size_t inputs = call.inputs.size();
  prepared.run = [=, run = std::move(prepared.run)](const void* const* given, void* const* outputs,
                                                    void* workspace) {
    constexpr std::size_t kMaxInputs = 8;
    const void* taken[kMaxInputs] = {};
    std::copy_n(given, std::min(inputs, kMaxInputs), taken);
    auto* memory = static_cast<std::byte*>(workspace);
    in.Run(given[0], memory + at_in, size);
    taken[0] = memory + at_in;
    void* results[] = {memory + at_out, nullptr};
    run(taken, results, workspace);
    out.Run(memory + at_out, outputs[0], size);
  };
  return prepared;
}

}  // namespace opledger
