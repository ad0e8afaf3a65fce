// ReverseSequence: reverses the first rows of each batch along the time axis, as many as its
// length.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/kernel/step_problem.h"

namespace opledger {
namespace {

// Inputs: x, lengths (one int64 per batch). Parameter: time: which of the first two dimensions is
// the time; the other is the batch. A length beyond the time axis is reported and clamped.
Prepared PrepareReverseSequence(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const std::int64_t time = call.parameters.Integer("time", 0);
  if (shape.size() < 2 || time < 0 || time > 1)
    return Refuse("its input has no time and batch dimensions");
  if (!call.Has(1) || call.Input(1).dtype != Dtype::kInt64 ||
      call.Shape(1) != Dimensions{shape[1 - time]}) {
    return Refuse("its lengths are not one int64 per batch");
  }
  const std::size_t block =
      Elements(Dimensions(shape.begin() + 2, shape.end())) * ElementSize(call.Input(0).dtype);
  const std::int64_t steps = shape[time];
  const std::int64_t batches = shape[1 - time];
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
    const auto* in = static_cast<const std::byte*>(inputs[0]);
    const auto* lengths = static_cast<const std::int64_t*>(inputs[1]);
    auto* out = static_cast<std::byte*>(outputs[0]);
    const auto place = [&](std::int64_t step, std::int64_t batch) {
      return static_cast<std::size_t>(time == 0 ? step * batches + batch : batch * steps + step) *
             block;
    };
    for (std::int64_t batch = 0; block > 0 && batch < batches; ++batch) {
      const std::int64_t length = std::clamp<std::int64_t>(lengths[batch], 0, steps);
      if (length != lengths[batch]) ReportOutside(lengths[batch], steps);
      for (std::int64_t step = 0; step < steps; ++step) {
        const std::int64_t from = step < length ? length - 1 - step : step;
        std::memcpy(out + place(step, batch), in + place(from, batch), block);
      }
    }
  };
  return prepared;
}

OPLEDGER_KERNEL(ReverseSequence, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("time")
    .Run(&PrepareReverseSequence);

}  // namespace
}  // namespace opledger
