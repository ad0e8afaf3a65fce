// Normalization: (x - mean) / deviation * scale + shift, with statistics over axes of the input
// (LayerNorm and similar) or given (BatchNorm).
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/reduce/reduce.h"
#include "kernels/kernel/channels_last.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/axes.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// The groups that are normalized, and their scales and shifts.
struct NormShape {
  Axes axes;
  double epsilon = 1e-5;
  bool subtract_mean = true;    // subtracts the mean
  bool epsilon_in_sqrt = true;  // adds epsilon to the variance; otherwise to the deviation
  std::optional<Axes> scale;    // in the layout of `axes`; nullopt: no scale
  std::optional<Axes> shift;
};

template <typename V>
struct Moments {
  V mean;
  V inverse;  // 1 / deviation
};

template <typename V, typename T>
Moments<V> MomentsOf(const NormShape& shape, const T* group) {
  const auto& members = shape.axes.members;
  const V count = static_cast<V>(members.size());
  const auto value = [&](std::size_t k) { return static_cast<V>(Load(group[members[k]])); };
  const V mean = shape.subtract_mean ? SumByTree<V>(members.size(), value) / count : V(0);
  const V variance = SumByTree<V>(members.size(),
                                  [&](std::size_t k) {
                                    const V off = value(k) - mean;
                                    return off * off;
                                  }) /
                     count;
  const V epsilon = static_cast<V>(shape.epsilon);
  if (shape.epsilon_in_sqrt) return {mean, V(1) / function::Sqrt(variance + epsilon)};
  return {mean, V(1) / (function::Sqrt(variance) + epsilon)};
}

template <typename T, typename S>
void Normalise(const NormShape& shape, const void* const* inputs, void* const* outputs) {
  using V = Computed<T>;
  const auto* in = static_cast<const T*>(inputs[0]);
  const auto* scale = shape.scale ? static_cast<const S*>(inputs[1]) : nullptr;
  const auto* shift = shape.shift ? static_cast<const S*>(inputs[2]) : nullptr;
  for (std::size_t i = 0; i < shape.axes.groups.size(); ++i) {
    const std::size_t start = shape.axes.groups[i];
    const Moments<V> moments = MomentsOf<V>(shape, in + start);
    const S* scales = scale == nullptr ? nullptr : scale + shape.scale->groups[i];
    const S* shifts = shift == nullptr ? nullptr : shift + shape.shift->groups[i];
    for (std::size_t k = 0; k < shape.axes.members.size(); ++k) {
      const std::size_t at = start + shape.axes.members[k];
      V value = (static_cast<V>(Load(in[at])) - moments.mean) * moments.inverse;
      if (scales != nullptr) value *= static_cast<V>(Load(scales[shape.scale->members[k]]));
      if (shifts != nullptr) value += static_cast<V>(Load(shifts[shape.shift->members[k]]));
      Store(static_cast<T*>(outputs[0])[at], value);
    }
    if (outputs[1] != nullptr) static_cast<V*>(outputs[1])[i] = moments.mean;
    if (outputs[2] != nullptr) static_cast<V*>(outputs[2])[i] = moments.inverse;
  }
}

// Inputs: x, scale, shift (both optional, in shapes that broadcast to x; `operand` replaces their
// shape). Parameters: axes, epsilon, subtract_mean, epsilon_in_sqrt; view: replaces the shape of x
// for axes and operands. Outputs: the result; the means and the inverse deviations in float32.
Prepared PrepareNormalise(const Call& call) {
  NormShape shape;
  const Dimensions view = call.parameters.List("view", call.Shape(0));
  if (Elements(view) != Elements(call.Shape(0)))
    return Refuse("its view does not have the size of its input");
  shape.axes = SplitAxes(view, call.parameters.List("axes"));
  shape.epsilon = call.parameters.Number("epsilon", 1e-5);
  shape.subtract_mean = call.parameters.Integer("subtract_mean", 1) != 0;
  shape.epsilon_in_sqrt = call.parameters.Integer("epsilon_in_sqrt", 1) != 0;
  Dtype other = call.Input(0).dtype;
  for (std::size_t i = 1; i < 3; ++i) {
    if (!call.Has(i)) continue;
    const Dimensions operand = call.parameters.List("operand", call.Shape(i));
    const bool fits = Elements(operand) == Elements(call.Shape(i));
    if (!fits || Broadcast({view, operand}) != view) {
      return Refuse("its scale or shift does not broadcast to its input");
    }
    (i == 1 ? shape.scale : shape.shift) =
        SplitAxes(view, call.parameters.List("axes"), BroadcastStrides(operand, view.size()));
    if (i == 2 && call.Has(1) && call.Input(1).dtype != call.Input(2).dtype) {
      return Refuse("its scale and shift differ in type");
    }
    other = call.Input(i).dtype;
  }
  Prepared prepared;
  const Dtype inner = call.Input(0).dtype == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kFloat32;
  prepared.outputs = {call.Input(0), {inner, shape.axes.kept_ones}, {inner, shape.axes.kept_ones}};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    WithFloat(other, [&]<typename S>(S*) {
      prepared.run = [shape](const void* const* inputs, void* const* outputs, void*) {
        Normalise<T, S>(shape, inputs, outputs);
      };
    });
  });
  if (!prepared.run) return Refuse("its scale is not of floats");
  return prepared;
}

// Inputs: x, scale, shift, mean, variance (one for each channel). Parameter: epsilon.
Prepared PrepareBatchNorm(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  if (shape.size() < 2) return Refuse("its input has no channels");
  const std::size_t axis = ChannelsLast(call) ? shape.size() - 1 : 1;
  for (std::size_t i = 1; i < 5; ++i) {
    if (!call.Has(i) || call.Shape(i) != Dimensions{shape[axis]}) {
      return Refuse("it has no statistics for each channel");
    }
    if (call.Input(i).dtype != call.Input(i < 3 ? 1 : 3).dtype)
      return Refuse("its statistics differ in type");
  }
  const double epsilon = call.parameters.Number("epsilon", 1e-5);
  const auto channels = static_cast<std::size_t>(shape[axis]);
  const std::size_t images = Elements({shape.begin(), shape.begin() + static_cast<long>(axis)});
  const std::size_t pixels = Elements({shape.begin() + static_cast<long>(axis) + 1, shape.end()});
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  const auto use = [&]<typename T, typename S, typename M>(T*, S*, M*) {
    prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
      using V = Computed<T>;
      for (std::size_t i = 0; i < images * channels; ++i) {
        const auto number = [&](std::size_t input, auto* type) {
          using Type = std::remove_pointer_t<decltype(type)>;
          return static_cast<V>(Load(static_cast<const Type*>(inputs[input])[i % channels]));
        };
        const V factor =
            number(1, static_cast<S*>(nullptr)) /
            function::Sqrt(number(4, static_cast<M*>(nullptr)) + static_cast<V>(epsilon));
        const V shift = number(2, static_cast<S*>(nullptr));
        const V mean = number(3, static_cast<M*>(nullptr));
        const auto* in = static_cast<const T*>(inputs[0]) + i * pixels;
        auto* out = static_cast<T*>(outputs[0]) + i * pixels;
        for (std::size_t k = 0; k < pixels; ++k) {
          Store(out[k], (static_cast<V>(Load(in[k])) - mean) * factor + shift);
        }
      }
    };
  };
  WithFloat(call.Input(0).dtype, [&]<typename T>(T* t) {
    WithFloat(call.Input(1).dtype, [&]<typename S>(S* s) {
      WithFloat(call.Input(3).dtype, [&]<typename M>(M* m) { use(t, s, m); });
    });
  });
  if (!prepared.run) return Refuse("its statistics are not floats");
  return prepared;
}

OPLEDGER_KERNEL(Normalise, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp + n / 32 * 2^-24")
    .Reads("axes")
    .Reads("epsilon")
    .Reads("subtract_mean")
    .Reads("epsilon_in_sqrt")
    .Reads("view")
    .Reads("operand")
    .Rounds(Rounding::kAtTheEnd)
    .Run(&PrepareNormalise);
OPLEDGER_KERNEL(BatchNorm, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("2 ulp")
    .Reads("epsilon")
    .ChannelsLast(ChannelsLastUse::kFollows)
    .Rounds(Rounding::kAtTheEnd)
    .Run(&PrepareBatchNorm);

}  // namespace
}  // namespace opledger
