// Bitwise kernels with two integer inputs that broadcast.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Shifting by at least the width of the type gives 0.
struct BitwiseAndFunction {
  template <typename T>
  static T Of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitwiseOrFunction {
  template <typename T>
  static T Of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitwiseXorFunction {
  template <typename T>
  static T Of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct ShiftLeftFunction {
  template <typename T>
  static T Of(T a, T b) {
    const auto bits = static_cast<std::uint64_t>(b);
    return bits >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<std::uint64_t>(a) << bits);
  }
};
struct ShiftRightFunction {
  template <typename T>
  static T Of(T a, T b) {
    const auto bits = static_cast<std::uint64_t>(b);
    if (bits >= 8 * sizeof(T)) return a < T(0) ? static_cast<T>(-1) : T(0);
    return static_cast<T>(a >> bits);
  }
};

template <typename Function, typename T>
void RunBits(const BroadcastWalk& walk, const void* const* inputs, void* const* outputs) {
  walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                const std::int64_t* steps) {
    const auto* a = static_cast<const T*>(inputs[0]) + offsets[0];
    const auto* b = static_cast<const T*>(inputs[1]) + offsets[1];
    auto* out = static_cast<T*>(outputs[0]) + at;
    for (std::size_t i = 0; i < count; ++i) {
      const auto k = static_cast<std::int64_t>(i);
      out[i] = Function::Of(a[k * steps[0]], b[k * steps[1]]);
    }
  });
}

template <typename Function>
Prepared PrepareOfBits(const Call& call) {
  if (!call.Has(1) || call.Input(1).dtype != call.Input(0).dtype) {
    return Refuse("its inputs differ in type");
  }
  const auto shape = Broadcast({call.Shape(0), call.Shape(1)});
  if (!shape) return Refuse("its inputs do not broadcast");
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, *shape}};
  const BroadcastWalk walk(*shape, {call.Shape(0), call.Shape(1)});
  WithInteger(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [walk](const void* const* inputs, void* const* outputs, void*) {
      RunBits<Function, T>(walk, inputs, outputs);
    };
  });
  return prepared;
}

#define OPLEDGER_OF_BITS(NAME)       \
  OPLEDGER_KERNEL(NAME, "cpu")       \
      .Types("T", OPLEDGER_INTEGERS) \
      .ErrorBound("exact")           \
      .Elementwise()                 \
      .Run(&PrepareOfBits<NAME##Function>);
OPLEDGER_OF_BITS(BitwiseAnd)
OPLEDGER_OF_BITS(BitwiseOr)
OPLEDGER_OF_BITS(BitwiseXor)
OPLEDGER_OF_BITS(ShiftLeft)
OPLEDGER_OF_BITS(ShiftRight)

}  // namespace
}  // namespace opledger
