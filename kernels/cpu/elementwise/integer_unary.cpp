// Unary kernels for integers: those of unary.cpp that apply to integers, and BitwiseNot. Results
// wrap around.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Avoids the undefined behavior of -x for the lowest integer.
template <typename T>
T Negated(T x) {
  return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(x));
}

struct AbsOfInteger {
  template <typename T>
  static T Of(T x) {
    return x < T(0) ? Negated(x) : x;
  }
};
struct NegOfInteger {
  template <typename T>
  static T Of(T x) {
    return Negated(x);
  }
};
struct SignOfInteger {
  template <typename T>
  static T Of(T x) {
    return static_cast<T>((x > T(0) ? 1 : 0) - (x < T(0) ? 1 : 0));
  }
};
struct ReluOfInteger {
  template <typename T>
  static T Of(T x) {
    return x < T(0) ? T(0) : x;
  }
};
struct BitwiseNotOfInteger {
  template <typename T>
  static T Of(T x) {
    return static_cast<T>(~x);
  }
};

template <typename Function>
Prepared PrepareIntegerUnary(const Call& call) {
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  const std::size_t count = Elements(call.Shape(0));
  WithInteger(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [count](const void* const* inputs, void* const* outputs, void*) {
      const auto* in = static_cast<const T*>(inputs[0]);
      for (std::size_t i = 0; i < count; ++i) static_cast<T*>(outputs[0])[i] = Function::Of(in[i]);
    };
  });
  return prepared;
}

#define OPLEDGER_INTEGER_UNARY(NAME) \
  OPLEDGER_KERNEL(NAME, "cpu")       \
      .Types("T", OPLEDGER_INTEGERS) \
      .ErrorBound("exact")           \
      .Elementwise()                 \
      .Run(&PrepareIntegerUnary<NAME##OfInteger>);
OPLEDGER_INTEGER_UNARY(Abs)
OPLEDGER_INTEGER_UNARY(Neg)
OPLEDGER_INTEGER_UNARY(Sign)
OPLEDGER_INTEGER_UNARY(Relu)
OPLEDGER_INTEGER_UNARY(BitwiseNot)

}  // namespace
}  // namespace opledger
