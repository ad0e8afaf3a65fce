// Pow with two types; the result has the base's type. Exact for two integers; otherwise computed in
// float64 and rounded once, to integers towards zero.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

template <typename T, typename E>
T PowerOf(T base, E exponent) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<E>) {
    return function::IntegerPower(base, exponent);
  } else {
    const double power =
        std::pow(static_cast<double>(Load(base)), static_cast<double>(Load(exponent)));
    if constexpr (std::is_integral_v<T>) return function::IntegerOf<T>(power);
    T result{};
    Store(result, static_cast<Computed<T>>(power));
    return result;
  }
}

bool HasOneType(const Call& call) {
  return !call.Has(1) || call.Input(0).dtype == call.Input(1).dtype;
}

Prepared PrepareMixedPow(const Call& call) {
  const auto shape = Broadcast({call.Shape(0), call.Shape(1)});
  if (!shape) return Refuse("its inputs do not broadcast");
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, *shape}};
  const BroadcastWalk walk(*shape, {call.Shape(0), call.Shape(1)});
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    WithNumber(call.Input(1).dtype, [&]<typename E>(E*) {
      prepared.run = [walk](const void* const* inputs, void* const* outputs, void*) {
        walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                      const std::int64_t* steps) {
          const auto* base = static_cast<const T*>(inputs[0]) + offsets[0];
          const auto* exponent = static_cast<const E*>(inputs[1]) + offsets[1];
          for (std::size_t i = 0; i < count; ++i) {
            const auto k = static_cast<std::int64_t>(i);
            static_cast<T*>(outputs[0])[at + i] =
                PowerOf(base[k * steps[0]], exponent[k * steps[1]]);
          }
        });
      };
    });
  });
  return prepared;
}

OPLEDGER_KERNEL(Pow, "cpu")
    .Types("T", OPLEDGER_NUMBERS)
    .Types("T1", OPLEDGER_NUMBERS, 1)
    .Accumulates(Dtype::kFloat64)
    .ErrorBound("1 ulp")
    .Refuses("its inputs have the same type", &HasOneType)
    .Elementwise()
    .Run(&PrepareMixedPow);

}  // namespace
}  // namespace opledger
