// Quantization to small integers and back: y = x / scale + zero, rounded to nearest, ties to even,
// and clamped to the type's range; x = (y - zero) * scale. Computed in float32, like ONNX Runtime.
// https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html, onnx__DynamicQuantizeLinear.html
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "kernels/cpu/elementwise/scale_shape.h"
#include "kernels/cpu/formulas/dynamic_scale.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/tensor/element.h"
#include "kernels/tensor/narrow_element.h"

namespace opledger {
namespace {

// Calls use(index of an element, index of its scale) for all elements.
template <typename Use>
void ForEachScale(const ScaleShape& shape, const Use& use) {
  std::size_t number = 0;
  for (std::size_t o = 0; o < shape.outer; ++o) {
    for (std::size_t a = 0; a < shape.length; ++a) {
      const std::size_t first = o * shape.outer_step + a / shape.block * shape.axis_step;
      for (std::size_t i = 0; i < shape.inner; ++i) use(number++, first + i * shape.inner_step);
    }
  }
}

// Types that can be quantized to.
template <typename Use>
bool WithQuantised(Dtype dtype, const Use& use) {
  const bool is = dtype == Dtype::kUint8 || dtype == Dtype::kInt8 || dtype == Dtype::kUint16 ||
                  dtype == Dtype::kInt16;
  return is && WithInteger(dtype, [&]<typename Q>(Q*) {
           if constexpr (sizeof(Q) <= 2) use(static_cast<Q*>(nullptr));
         });
}

template <typename T, typename S, typename Q>
void Quantise(const ScaleShape& shape, const void* const* inputs, bool has_zero, Q* out) {
  using V = Computed<S>;
  const auto* in = static_cast<const T*>(inputs[0]);
  const auto* scales = static_cast<const S*>(inputs[1]);
  const auto* zeros = has_zero ? static_cast<const Q*>(inputs[2]) : nullptr;
  ForEachScale(shape, [&](std::size_t at, std::size_t scale) {
    const V zero = zeros == nullptr ? V(0) : static_cast<V>(zeros[scale]);
    const V steps = static_cast<V>(Load(in[at])) / Load(scales[scale]);
    out[at] = Saturated<Q>(function::RoundEven(steps) + zero);
  });
}

// Inputs: x (a float, or int32), scale, zero (optional). Parameters: axis, block, to (the type if
// there is no zero).
Prepared PrepareQuantise(const Call& call) {
  ScaleShape shape;
  if (std::string problem = ReadScale(call, shape); !problem.empty()) return Refuse(problem);
  const auto to = call.Has(2) ? std::optional(call.Input(2).dtype)
                              : ParseDtype(call.parameters.Word("to", "uint8"));
  Prepared prepared;
  prepared.outputs = {{to.value_or(Dtype::kUint8), call.Shape(0)}};
  const bool has_zero = call.Has(2);
  const auto with = [&]<typename T>(T*) {
    WithFloat(call.Input(1).dtype, [&]<typename S>(S*) {
      WithQuantised(prepared.outputs[0].dtype, [&]<typename Q>(Q*) {
        prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
          Quantise<T, S, Q>(shape, inputs, has_zero, static_cast<Q*>(outputs[0]));
        };
      });
    });
  };
  if (call.Input(0).dtype == Dtype::kInt32) {
    with(static_cast<std::int32_t*>(nullptr));
  } else {
    WithFloat(call.Input(0).dtype, with);
  }
  if (!prepared.run) {
    return Refuse("it quantizes to " + std::string(to ? DtypeName(*to) : "an unknown type") +
                  ", which is not supported: int8, uint8, int16 and uint16 are");
  }
  return prepared;
}

// Inputs: x, scale, zero (optional, of the type of x). Parameters: axis, block, to (default: the
// type of scale).
Prepared PrepareDequantise(const Call& call) {
  ScaleShape shape;
  if (std::string problem = ReadScale(call, shape); !problem.empty()) return Refuse(problem);
  if (call.Has(2) && call.Input(2).dtype != call.Input(0).dtype) {
    return Refuse("its zero point and input differ in type");
  }
  const Dtype scale = call.Input(1).dtype;
  if (ParseDtype(call.parameters.Word("to", DtypeName(scale))) != scale) {
    return Refuse("its output and scale differ in type");
  }
  const bool has_zero = call.Has(2);
  Prepared prepared;
  prepared.outputs = {{scale, call.Shape(0)}};
  const Dtype dtype = call.Input(0).dtype;
  if (IsFourBits(dtype) || IsFloat8(dtype)) {
    WithFloat(scale, [&]<typename S>(S*) {
      prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
        const auto* scales = static_cast<const S*>(inputs[1]);
        ForEachScale(shape, [&](std::size_t at, std::size_t group) {
          const float zero = has_zero ? NarrowAt(dtype, inputs[2], group) : 0;
          const float off = NarrowAt(dtype, inputs[0], at) - zero;
          Store(static_cast<S*>(outputs[0])[at], off * Load(scales[group]));
        });
      };
    });
    return prepared;
  }
  WithInteger(call.Input(0).dtype, [&]<typename Q>(Q*) {
    WithFloat(scale, [&]<typename S>(S*) {
      prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
        using V = Computed<S>;
        const auto* in = static_cast<const Q*>(inputs[0]);
        const auto* scales = static_cast<const S*>(inputs[1]);
        const auto* zeros = has_zero ? static_cast<const Q*>(inputs[2]) : nullptr;
        ForEachScale(shape, [&](std::size_t at, std::size_t group) {
          const std::int64_t zero = zeros == nullptr ? 0 : static_cast<std::int64_t>(zeros[group]);
          const std::int64_t off = static_cast<std::int64_t>(in[at]) - zero;
          Store(static_cast<S*>(outputs[0])[at], static_cast<V>(off) * Load(scales[group]));
        });
      };
    });
  });
  return prepared;
}

// Input: x. Outputs: uint8, and a scale and a zero point whose range includes all of x and 0.
Prepared PrepareDynamicQuantise(const Call& call) {
  Prepared prepared;
  const Dtype dtype = call.Input(0).dtype;
  prepared.outputs = {{Dtype::kUint8, call.Shape(0)}, {dtype, {}}, {Dtype::kUint8, {}}};
  const std::size_t count = Elements(call.Shape(0));
  WithFloat(dtype, [&]<typename T>(T*) {
    prepared.run = [count](const void* const* inputs, void* const* outputs, void*) {
      using V = Computed<T>;
      const auto* in = static_cast<const T*>(inputs[0]);
      DynamicScale<V> range;
      for (std::size_t i = 0; i < count; ++i) range.Add(Load(in[i]));
      const std::uint8_t zero = range.Zero();
      T held;
      Store(held, range.Scale());
      if (outputs[1] != nullptr) *static_cast<T*>(outputs[1]) = held;
      if (outputs[2] != nullptr) *static_cast<std::uint8_t*>(outputs[2]) = zero;
      for (std::size_t i = 0; i < count && outputs[0] != nullptr; ++i) {
        static_cast<std::uint8_t*>(outputs[0])[i] =
            Saturated<std::uint8_t>(function::RoundEven(Load(in[i]) / Load(held)) + V(zero));
      }
    };
  });
  return prepared;
}

// Converts sums of integer products to integers of another scale: sum * factor + zero, rounded and
// clamped. Inputs: sums, factors and zeros, which broadcast to the shape of the sums. The type of
// zeros is that of the result.
Prepared PrepareRequantise(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const std::vector<Dimensions> all = {shape, call.Shape(1), call.Shape(2)};
  if (Broadcast(all) != shape) return Refuse("its factors do not broadcast to its sums");
  const BroadcastWalk walk(shape, all);
  Prepared prepared;
  prepared.outputs = {{call.Input(2).dtype, shape}};
  WithFloat(call.Input(1).dtype, [&]<typename S>(S*) {
    WithQuantised(call.Input(2).dtype, [&]<typename Q>(Q*) {
      prepared.run = [walk](const void* const* inputs, void* const* outputs, void*) {
        using V = Computed<S>;
        walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                      const std::int64_t* steps) {
          const auto* sums = static_cast<const std::int32_t*>(inputs[0]) + offsets[0];
          const auto* factors = static_cast<const S*>(inputs[1]) + offsets[1];
          const auto* zeros = static_cast<const Q*>(inputs[2]) + offsets[2];
          auto* out = static_cast<Q*>(outputs[0]) + at;
          for (std::size_t i = 0; i < count; ++i) {
            const auto k = static_cast<std::int64_t>(i);
            const V value = static_cast<V>(sums[k * steps[0]]) * Load(factors[k * steps[1]]);
            out[i] = Saturated<Q>(function::RoundEven(value) + static_cast<V>(zeros[k * steps[2]]));
          }
        });
      };
    });
  });
  if (!prepared.run) return Refuse("its result is not int8, uint8, int16 or uint16");
  return prepared;
}

OPLEDGER_KERNEL(QuantizeLinear, "cpu")
    .Types("T",
           {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat64, Dtype::kInt32})
    .Types("scale", OPLEDGER_FLOATS, 1)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("exact")
    .Reads("axis")
    .Reads("block")
    .Reads("to")
    .ChannelsLast(ChannelsLastUse::kFollows)
    .Run(&PrepareQuantise);
OPLEDGER_KERNEL(DequantizeLinear, "cpu")
    .Types("T", {Dtype::kInt8, Dtype::kInt16, Dtype::kInt32, Dtype::kInt64, Dtype::kUint8,
                 Dtype::kUint16, Dtype::kUint32, Dtype::kUint64, Dtype::kInt4, Dtype::kUint4,
                 Dtype::kFloat8E4M3, Dtype::kFloat8E5M2})
    .Types("scale", OPLEDGER_FLOATS, 1)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp")
    .Reads("axis")
    .Reads("block")
    .Reads("to")
    .ChannelsLast(ChannelsLastUse::kFollows)
    .Run(&PrepareDequantise);
OPLEDGER_KERNEL(DynamicQuantizeLinear, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("exact")
    .Run(&PrepareDynamicQuantise);
OPLEDGER_KERNEL(Requantize, "cpu")
    .Types("T", {Dtype::kInt32})
    .Types("scale", OPLEDGER_FLOATS, 1)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("exact")
    .Run(&PrepareRequantise);

}  // namespace
}  // namespace opledger
