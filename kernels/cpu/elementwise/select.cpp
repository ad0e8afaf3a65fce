// Where, Clip, and element-wise tests and casts.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Inputs: condition, a, b.
Prepared PrepareWhere(const Call& call) {
  if (call.Input(1).dtype != call.Input(2).dtype) return Refuse("its inputs differ in type");
  const std::vector<Dimensions> shapes = {call.Shape(0), call.Shape(1), call.Shape(2)};
  const auto shape = Broadcast(shapes);
  if (!shape) return Refuse("its inputs do not broadcast");
  Prepared prepared;
  prepared.outputs = {{call.Input(1).dtype, *shape}};
  const BroadcastWalk walk(*shape, shapes);
  WithSize(ElementSize(call.Input(1).dtype), [&]<typename T>(T*) {
    prepared.run = [walk](const void* const* inputs, void* const* outputs, void*) {
      walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                    const std::int64_t* steps) {
        const auto* condition = static_cast<const std::uint8_t*>(inputs[0]) + offsets[0];
        const auto* a = static_cast<const T*>(inputs[1]) + offsets[1];
        const auto* b = static_cast<const T*>(inputs[2]) + offsets[2];
        auto* out = static_cast<T*>(outputs[0]) + at;
        for (std::size_t i = 0; i < count; ++i) {
          const auto k = static_cast<std::int64_t>(i);
          out[i] = condition[k * steps[0]] != 0 ? a[k * steps[1]] : b[k * steps[2]];
        }
      });
    };
  });
  return prepared;
}

// Inputs: x, min (a scalar), max (a scalar); or the parameters min and max. A NaN stays NaN.
Prepared PrepareClip(const Call& call) {
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  const std::size_t count = Elements(call.Shape(0));
  for (std::size_t i = 1; i < 3; ++i) {
    if (call.Has(i) &&
        (call.Input(i).dtype != call.Input(0).dtype || Elements(call.Shape(i)) != 1)) {
      return Refuse("a bound is not a scalar of its input's type");
    }
  }
  const bool has[2] = {call.Has(1), call.Has(2)};
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    using Value = Computed<T>;
    const auto bound = [&](const char* name, Value absent) {
      return call.parameters.Has(name) ? static_cast<Value>(call.parameters.Number(name, 0))
                                       : absent;
    };
    using Limits = std::numeric_limits<Value>;
    const bool infinite = Limits::has_infinity;
    const Value min = bound("min", infinite ? -Limits::infinity() : Limits::lowest());
    const Value max = bound("max", infinite ? Limits::infinity() : Limits::max());
    prepared.run = [=, low = has[0], high = has[1]](const void* const* inputs, void* const* outputs,
                                                    void*) {
      const Value a = low ? Load(*static_cast<const T*>(inputs[1])) : min;
      const Value b = high ? Load(*static_cast<const T*>(inputs[2])) : max;
      const auto* in = static_cast<const T*>(inputs[0]);
      auto* out = static_cast<T*>(outputs[0]);
      for (std::size_t i = 0; i < count; ++i) {
        Value x = Load(in[i]);
        x = x < a ? a : x;
        Store(out[i], b < x ? b : x);
      }
    };
  });
  return prepared;
}

template <typename Test>
Prepared PrepareTest(const Call& call, const Test& test) {
  Prepared prepared;
  prepared.outputs = {{Dtype::kBool, call.Shape(0)}};
  const std::size_t count = Elements(call.Shape(0));
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [count, test](const void* const* inputs, void* const* outputs, void*) {
      const auto* in = static_cast<const T*>(inputs[0]);
      auto* out = static_cast<std::uint8_t*>(outputs[0]);
      for (std::size_t i = 0; i < count; ++i) out[i] = test(Load(in[i])) ? 1 : 0;
    };
  });
  return prepared;
}

Prepared PrepareIsNaN(const Call& call) {
  return PrepareTest(call, [](auto x) { return std::isnan(x); });
}

Prepared PrepareIsInf(const Call& call) {
  const bool negative = call.parameters.Integer("negative", 1) != 0;
  const bool positive = call.parameters.Integer("positive", 1) != 0;
  return PrepareTest(call, [=](auto x) { return std::isinf(x) && (x < 0 ? negative : positive); });
}

Prepared PrepareNot(const Call& call) {
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  const std::size_t count = Elements(call.Shape(0));
  prepared.run = [count](const void* const* inputs, void* const* outputs, void*) {
    const auto* in = static_cast<const std::uint8_t*>(inputs[0]);
    auto* out = static_cast<std::uint8_t*>(outputs[0]);
    for (std::size_t i = 0; i < count; ++i) out[i] = in[i] == 0 ? 1 : 0;
  };
  return prepared;
}

// Rounds to a float that rounds to 16 bits like `value` itself: if `value` is between two floats,
// the one with an odd last bit.
float RoundedToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || value != value) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1);
}
float RoundedToOdd(float value) { return value; }
template <typename Integer>
float RoundedToOdd(Integer value) {
  if constexpr (sizeof(Integer) == 8) {
    // Values with more bits than a double: a single bit stands for the dropped ones, set if any of
    // them is 1.
    const bool negative = value < 0;
    const auto wide = static_cast<std::uint64_t>(value);
    const std::uint64_t size = negative ? 0 - wide : wide;
    if (size >= std::uint64_t{1} << 53) {
      const auto odd = static_cast<double>(size >> 16 | ((size & 0xffff) != 0 ? 1 : 0)) * 0x1p16;
      return RoundedToOdd(negative ? -odd : odd);
    }
  }
  return RoundedToOdd(static_cast<double>(value));
}

// Rounds once; to an integer, towards zero.
template <typename To, typename From>
To CastOf(From from) {
  const auto value = Load(from);
  To to;
  if constexpr (std::is_integral_v<To> && !std::is_integral_v<decltype(value)>) {
    to = function::IntegerOf<To>(static_cast<double>(value));
  } else if constexpr (kIsHalf<To>) {
    Store(to, RoundedToOdd(value));
  } else {
    Store(to, static_cast<To>(value));
  }
  return to;
}

template <typename From>
Step CastStep(Dtype to, std::size_t count) {
  Step step;
  if (to == Dtype::kBool) {
    return [count](const void* const* inputs, void* const* outputs, void*) {
      const auto* in = static_cast<const From*>(inputs[0]);
      auto* out = static_cast<std::uint8_t*>(outputs[0]);
      for (std::size_t i = 0; i < count; ++i) out[i] = Load(in[i]) != 0 ? 1 : 0;
    };
  }
  WithNumber(to, [&]<typename To>(To*) {
    step = [count](const void* const* inputs, void* const* outputs, void*) {
      const auto* in = static_cast<const From*>(inputs[0]);
      auto* out = static_cast<To*>(outputs[0]);
      for (std::size_t i = 0; i < count; ++i) out[i] = CastOf<To>(in[i]);
    };
  });
  return step;
}

// Rounds float32 to the values of a 16-bit type.
Prepared PrepareCastThrough(const Call& call, const std::string& through) {
  const auto type = ParseDtype(through);
  if (!type || call.Input(0).dtype != Dtype::kFloat32)
    return Refuse("it does not cast float32 through float16 or bfloat16");
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  const std::size_t count = Elements(call.Shape(0));
  prepared.run = [count, type](const void* const* inputs, void* const* outputs, void*) {
    const auto* in = static_cast<const float*>(inputs[0]);
    auto* out = static_cast<float*>(outputs[0]);
    std::copy_n(in, count, out);
    arithmetic::RoundTo(*type, out, count);
  };
  return prepared;
}

// Prepares a cast of a constant whose small values are raised as --small-constants clamp does in a
// converted file.
Prepared PrepareRaisingCast(const Call& call, Dtype to) {
  const bool narrows = to == Dtype::kFloat16 || to == Dtype::kBfloat16;
  if (call.Input(0).dtype != Dtype::kFloat32 || !narrows)
    return Refuse("it does not cast float32 to 16 bits");
  Prepared prepared;
  prepared.outputs = {{to, call.Shape(0)}};
  prepared.run = [count = Elements(call.Shape(0)), to](const void* const* inputs,
                                                       void* const* outputs, void*) {
    arithmetic::DowncastRaised(static_cast<const float*>(inputs[0]), to, outputs[0], count);
  };
  return prepared;
}

Prepared PrepareCast(const Call& call) {
  const auto to = ParseDtype(call.parameters.Word("to", ""));
  const Dtype from = call.Input(0).dtype;
  if (!to) return Refuse("its target type is unknown");
  if (call.parameters.Has("small")) return PrepareRaisingCast(call, *to);
  Prepared prepared;
  prepared.outputs = {{*to, call.Shape(0)}};
  const std::string through = call.parameters.Word("through", "");
  if (!through.empty()) return PrepareCastThrough(call, through);
  prepared.is_view = *to == from;
  const std::size_t count = Elements(call.Shape(0));
  const auto use = [&]<typename From>(From*) { prepared.run = CastStep<From>(*to, count); };
  if (from == Dtype::kBool) {
    use(static_cast<std::uint8_t*>(nullptr));
  } else {
    WithNumber(from, use);
  }
  if (!prepared.run) return Refuse(std::string("it casts to ") + DtypeName(*to));
  return prepared;
}

// Parameter: to: a type of the same size.
Prepared PrepareBitCast(const Call& call) {
  const Dtype from = call.Input(0).dtype;
  const auto to = ParseDtype(call.parameters.Word("to", ""));
  if (!to || (*to != Dtype::kBool && !WithNumber(*to, [](auto*) {}))) {
    return Refuse("its target type is unknown or not supported");
  }
  if (ElementSize(*to) != ElementSize(from)) {
    return Refuse(std::string("it takes the bits of ") + DtypeName(from) + " as " + DtypeName(*to) +
                  ", which has another size");
  }
  Prepared prepared;
  prepared.outputs = {{*to, call.Shape(0)}};
  prepared.run = [bytes = Bytes(call.Input(0))](const void* const* inputs, void* const* outputs,
                                                void*) {
    if (bytes != 0) std::memcpy(outputs[0], inputs[0], bytes);
  };
  return prepared;
}

OPLEDGER_KERNEL(BitCast, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("to")
    .Run(&PrepareBitCast);
OPLEDGER_KERNEL(Where, "cpu")
    .Types("T", OPLEDGER_ANY, 1)
    .ErrorBound("exact")
    .Elementwise()
    .Run(&PrepareWhere);
OPLEDGER_KERNEL(Clip, "cpu")
    .Types("T", OPLEDGER_NUMBERS)
    .ErrorBound("exact")
    .Reads("min")
    .Reads("max")
    .Elementwise()
    .Run(&PrepareClip);
OPLEDGER_KERNEL(IsNaN, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .ErrorBound("exact")
    .Elementwise()
    .Run(&PrepareIsNaN);
OPLEDGER_KERNEL(IsInf, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .ErrorBound("exact")
    .Reads("negative")
    .Reads("positive")
    .Elementwise()
    .Run(&PrepareIsInf);
OPLEDGER_KERNEL(Not, "cpu")
    .Types("T", {Dtype::kBool})
    .ErrorBound("exact")
    .Elementwise()
    .Run(&PrepareNot);
OPLEDGER_KERNEL(Cast, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("0.5 ulp")
    .Reads("to")
    .Reads("through: float16, bfloat16")
    .Reads("small: raise")
    .Elementwise()
    .Run(&PrepareCast);

}  // namespace
}  // namespace opledger
