// Range: start, start + delta, ...
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Inputs: start, limit, delta (scalars of one type). Parameter: count.
Prepared PrepareRange(const Call& call) {
  const std::int64_t count = call.parameters.Integer("count", 0);
  if (!call.Has(2) || call.Input(2).dtype != call.Input(0).dtype)
    return Refuse("its inputs differ in type");
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, {count}}};
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [count](const void* const* inputs, void* const* outputs, void*) {
      const auto start = Load(*static_cast<const T*>(inputs[0]));
      const auto delta = Load(*static_cast<const T*>(inputs[2]));
      using Value = Computed<T>;
      for (std::int64_t i = 0; i < count; ++i) {
        Store(static_cast<T*>(outputs[0])[i],
              function::Plus(start, function::Times(static_cast<Value>(i), delta)));
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Range, "cpu")
    .Types("T", OPLEDGER_NUMBERS)
    .ErrorBound("0.5 ulp")
    .Reads("count")
    .Run(&PrepareRange);

}  // namespace
}  // namespace opledger
