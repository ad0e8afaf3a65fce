// Element-wise kernels with two inputs that broadcast: arithmetic and comparisons.
// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/pair_formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

using namespace function;  // NOLINT(google-build-using-namespace): the formulas are to be readable

template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T>;

#define OPLEDGER_PAIR(NAME, BOUND, VALUE) \
  struct NAME##Function {                 \
    template <typename T>                 \
    static T Of(T a, T b) {               \
      return VALUE;                       \
    }                                     \
  };
OPLEDGER_PAIR_FUNCTIONS(OPLEDGER_PAIR)
#undef OPLEDGER_PAIR
#define OPLEDGER_COMPARE(NAME, BOUND, VALUE) \
  struct NAME##Function {                    \
    template <typename T>                    \
    static bool Of(T a, T b) {               \
      return VALUE;                          \
    }                                        \
  };
OPLEDGER_COMPARISONS(OPLEDGER_COMPARE)
#undef OPLEDGER_COMPARE

struct PowFunction {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return function::Pow(a, b);
    } else {
      return function::IntegerPower(a, b);
    }
  }
};
// The result has the sign of the divisor, like Python's %.
struct ModFunction {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (kIsFloat<T>) {
      const T rest = std::fmod(a, b);
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    } else {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (b == T(-1)) return 0;
        const T rest = static_cast<T>(a % b);
        return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
      }
      return static_cast<T>(a % b);
    }
  }
};
// The result has the sign of the dividend, like C's fmod.
struct FmodFunction {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return std::fmod(a, b);
    } else {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<T>) {
        if (b == T(-1)) return 0;
      }
      return static_cast<T>(a % b);
    }
  }
};
// The square root of the sum of squares.
struct HypotFunction {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_same_v<T, float>) {
      const double x = a;  // its square is finite in double
      const double y = b;
      return static_cast<float>(std::sqrt(x * x + y * y));
    } else {
      // glibc's hypot of double is as accurate only from 2.35 on.
      return static_cast<T>(std::hypot(static_cast<long double>(a), static_cast<long double>(b)));
    }
  }
};
// Operands are bool.
struct AndFunction {
  static bool Of(std::uint8_t a, std::uint8_t b) { return a != 0 && b != 0; }
};
struct OrFunction {
  static bool Of(std::uint8_t a, std::uint8_t b) { return a != 0 || b != 0; }
};
struct XorFunction {
  static bool Of(std::uint8_t a, std::uint8_t b) { return (a != 0) != (b != 0); }
};

// Computes `count` results from operands whose elements are `step_a` and `step_b` elements apart.
using PairRow = void (*)(const void* a, std::int64_t step_a, const void* b, std::int64_t step_b,
                         void* out, std::size_t count);

template <typename Function, typename In, typename Out>
void RunPairRow(const void* a, std::int64_t step_a, const void* b, std::int64_t step_b, void* out,
                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const auto value = Function::Of(Load(static_cast<const In*>(a)[at * step_a]),
                                    Load(static_cast<const In*>(b)[at * step_b]));
    if constexpr (std::is_same_v<decltype(value), const bool>) {
      static_cast<Out*>(out)[i] = static_cast<Out>(value ? 1 : 0);
    } else {
      Store(static_cast<Out*>(out)[i], value);
    }
  }
}

// One function for all operators and types, which differ only in `row`.
Step PairStep(const BroadcastWalk& walk, PairRow row, std::size_t in_size, std::size_t out_size) {
  return [=](const void* const* inputs, void* const* outputs, void*) {
    const auto* a = static_cast<const std::byte*>(inputs[0]);
    const auto* b = static_cast<const std::byte*>(inputs[1]);
    auto* out = static_cast<std::byte*>(outputs[0]);
    const auto size = static_cast<std::int64_t>(in_size);
    walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                  const std::int64_t* steps) {
      row(a + offsets[0] * size, steps[0], b + offsets[1] * size, steps[1], out + at * out_size,
          count);
    });
  };
}

enum class Operands { kNumbers, kAny, kTruths };

// Comparisons and logical operators give bool.
template <typename Function, Operands kOperands>
Prepared PreparePair(const Call& call) {
  if (!call.Has(0) || !call.Has(1) || call.Input(0).dtype != call.Input(1).dtype) {
    return Refuse("its inputs differ in type");
  }
  const auto shape = Broadcast({call.Shape(0), call.Shape(1)});
  if (!shape) {
    return Refuse(Text(call.Input(0)) + " and " + Text(call.Input(1)) + " do not broadcast");
  }
  constexpr bool kIsTruth = kOperands != Operands::kNumbers;
  const Dtype dtype = call.Input(0).dtype;
  Prepared prepared;
  prepared.outputs = {{kIsTruth ? Dtype::kBool : dtype, *shape}};
  const BroadcastWalk walk(*shape, {call.Shape(0), call.Shape(1)});
  const auto use = [&]<typename T>(T*) {
    using Out = std::conditional_t<kIsTruth, std::uint8_t, T>;
    prepared.run = PairStep(walk, &RunPairRow<Function, T, Out>, sizeof(T), sizeof(Out));
  };
  if constexpr (kIsTruth) {
    if (dtype == Dtype::kBool) use(static_cast<std::uint8_t*>(nullptr));
  }
  if constexpr (kOperands != Operands::kTruths) WithNumber(dtype, use);
  return prepared;
}

#define OPLEDGER_ARITHMETIC(NAME, BOUND, ...) \
  OPLEDGER_KERNEL(NAME, "cpu")                \
      .Types("T", OPLEDGER_NUMBERS)           \
      .Accumulates(Dtype::kFloat32)           \
      .ErrorBound(BOUND)                      \
      .Elementwise()                          \
      .Run(&PreparePair<NAME##Function, Operands::kNumbers>);
OPLEDGER_PAIR_FUNCTIONS(OPLEDGER_ARITHMETIC)
OPLEDGER_ARITHMETIC(Pow, "4 ulp")
OPLEDGER_ARITHMETIC(Hypot, "0.5 ulp")
OPLEDGER_ARITHMETIC(Mod, "0.5 ulp")
OPLEDGER_ARITHMETIC(Fmod, "exact")

#define OPLEDGER_COMPARISON(NAME, BOUND, VALUE) \
  OPLEDGER_KERNEL(NAME, "cpu")                  \
      .Types("T", OPLEDGER_ANY)                 \
      .ErrorBound(BOUND)                        \
      .Elementwise()                            \
      .Run(&PreparePair<NAME##Function, Operands::kAny>);
OPLEDGER_COMPARISONS(OPLEDGER_COMPARISON)

#define OPLEDGER_LOGIC(NAME)      \
  OPLEDGER_KERNEL(NAME, "cpu")    \
      .Types("T", {Dtype::kBool}) \
      .ErrorBound("exact")        \
      .Elementwise()              \
      .Run(&PreparePair<NAME##Function, Operands::kTruths>);
OPLEDGER_LOGIC(And)
OPLEDGER_LOGIC(Or)
OPLEDGER_LOGIC(Xor)

}  // namespace
}  // namespace opledger
