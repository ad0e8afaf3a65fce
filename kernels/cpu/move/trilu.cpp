// Trilu: keeps the part of each matrix above or below a diagonal; the rest is zero.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Input: x. Parameters: upper; diagonal: 0 is the main one, 1 the one above it.
Prepared PrepareTrilu(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  if (shape.size() < 2) return Refuse("its input has no matrices");
  const std::int64_t rows = shape[shape.size() - 2];
  const std::int64_t columns = shape.back();
  const bool upper = call.parameters.Integer("upper", 1) != 0;
  const std::int64_t max = rows + columns;
  const std::int64_t diagonal = std::clamp(call.parameters.Integer("diagonal", 0), -max, max);
  const std::size_t count = Elements(shape);
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  WithSize(ElementSize(call.Input(0).dtype), [&]<typename T>(T*) {
    prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
      const auto* in = static_cast<const T*>(inputs[0]);
      auto* out = static_cast<T*>(outputs[0]);
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t above = at % columns - at / columns % rows - diagonal;
        out[i] = (upper ? above >= 0 : above <= 0) ? in[i] : T{};
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Trilu, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("upper")
    .Reads("diagonal")
    .Run(&PrepareTrilu);

}  // namespace
}  // namespace opledger
