// Pow of two types: the result is of the base's. Computed in float64 and rounded once, integers
// towards zero.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Element `at` of a tensor of numbers.
using ReadNumber = double (*)(const void* numbers, std::int64_t at);

template <typename E>
double NumberAt(const void* numbers, std::int64_t at) {
  return static_cast<double>(Load(static_cast<const E*>(numbers)[at]));
}

template <typename T>
T PowerOf(double base, double exponent) {
  const double power = std::pow(base, exponent);
  T result{};
  if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    if (power != power) return 0;
    if (power >= static_cast<double>(Limits::max())) return Limits::max();
    if (power <= static_cast<double>(Limits::lowest())) return Limits::lowest();
    return static_cast<T>(power);
  } else {
    Store(result, static_cast<Computed<T>>(power));
  }
  return result;
}

bool HasOneType(const Call& call) {
  return !call.Has(1) || call.Input(0).dtype == call.Input(1).dtype;
}

Prepared PrepareMixedPow(const Call& call) {
  const auto shape = Broadcast({call.Shape(0), call.Shape(1)});
  if (!shape) return Refuse("its two inputs do not broadcast");
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, *shape}};
  const BroadcastWalk walk(*shape, {call.Shape(0), call.Shape(1)});
  ReadNumber exponent_at = nullptr;
  WithNumber(call.Input(1).dtype, [&]<typename E>(E*) { exponent_at = &NumberAt<E>; });
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [walk, exponent_at](const void* const* inputs, void* const* outputs, void*) {
      walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                    const std::int64_t* steps) {
        for (std::size_t i = 0; i < count; ++i) {
          const auto k = static_cast<std::int64_t>(i);
          static_cast<T*>(outputs[0])[at + i] =
              PowerOf<T>(NumberAt<T>(inputs[0], offsets[0] + k * steps[0]),
                         exponent_at(inputs[1], offsets[1] + k * steps[1]));
        }
      });
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Pow, "cpu")
    .Types("T", OPLEDGER_NUMBERS)
    .Types("T1", OPLEDGER_NUMBERS, 1)
    .Accumulates(Dtype::kFloat64)
    .ErrorBound("1 ulp")
    .Refuses("its two inputs are of one type", &HasOneType)
    .Elementwise()
    .Run(&PrepareMixedPow);

}  // namespace
}  // namespace opledger
