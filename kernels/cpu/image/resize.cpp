// Resize: every output number is a weighted sum of input numbers around the place it comes from,
// one dimension after the other. https://onnx.ai/onnx/operators/onnx__Resize.html has the formulas.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/image/resize_taps.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// What one dimension becomes.
struct ResizedAxis {
  std::size_t outer = 1;
  std::size_t inner = 1;
  std::size_t in = 0;
  ResizeTaps taps;
};

template <typename V>
void ResizeAlong(const ResizedAxis& axis, const V* in, V* out) {
  const std::size_t per = axis.taps.PerOutput();
  const std::size_t size = axis.taps.outputs;
  for (std::size_t o = 0; o < axis.outer; ++o) {
    for (std::size_t i = 0; i < size; ++i) {
      V* to = out + (o * size + i) * axis.inner;
      std::fill_n(to, axis.inner, V(0));
      for (std::size_t k = i * per; k < (i + 1) * per; ++k) {
        const V* from = in + (o * axis.in + axis.taps.index[k]) * axis.inner;
        const V weight = static_cast<V>(axis.taps.weight[k]);
        for (std::size_t j = 0; j < axis.inner; ++j) to[j] += weight * from[j];
      }
    }
  }
}

struct ResizePlan {
  std::vector<ResizedAxis> axes;  // those that change
  Dimensions shape;               // of the output
  std::size_t in = 0;             // elements
  std::size_t most = 0;           // elements of the largest tensor on the way
  double extrapolated = 0;
};

// Numbers that come from outside of the region of interest.
template <typename T>
void FillOutside(const ResizePlan& plan, T value, T* out) {
  for (const ResizedAxis& axis : plan.axes) {
    const std::size_t inner_out = Elements(plan.shape) / std::max<std::size_t>(1, axis.outer);
    const std::size_t size = axis.taps.outputs;
    if (size == 0 || axis.taps.outside.empty()) continue;
    const std::size_t inner = inner_out / size;
    for (std::size_t o = 0; o < axis.outer; ++o) {
      for (std::size_t i = 0; i < size; ++i) {
        if (axis.taps.outside[i]) std::fill_n(out + (o * size + i) * inner, inner, value);
      }
    }
  }
}

// Through all dimensions, in `V`; the workspace holds two tensors as large as the largest.
template <typename T, typename V>
void ResizeNumbers(const ResizePlan& plan, const T* in, T* out, V* workspace) {
  V* from = workspace;
  V* to = workspace + plan.most;
  for (std::size_t i = 0; i < plan.in; ++i) from[i] = static_cast<V>(Load(in[i]));
  for (const ResizedAxis& axis : plan.axes) {
    ResizeAlong(axis, from, to);
    std::swap(from, to);
  }
  const std::size_t count = Elements(plan.shape);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>) {
      constexpr auto kLeast = static_cast<V>(std::numeric_limits<T>::lowest());
      constexpr auto kMost = static_cast<V>(std::numeric_limits<T>::max());
      out[i] = static_cast<T>(std::clamp(std::nearbyint(from[i]), kLeast, kMost));
    } else {
      Store(out[i], from[i]);
    }
  }
  T outside;
  Store(outside, static_cast<Computed<T>>(plan.extrapolated));
  FillOutside(plan, outside, out);
}

// Taken as they are: each output from one input, found dimension by dimension.
template <typename T>
void TakeNearest(const ResizePlan& plan, const T* in, T* out, T* workspace, T outside) {
  T* from = workspace;
  T* to = workspace + plan.most;
  std::copy_n(in, plan.in, from);
  for (const ResizedAxis& axis : plan.axes) {
    const std::size_t size = axis.taps.outputs;
    for (std::size_t i = 0; i < axis.outer * size; ++i) {
      const std::size_t row = i / size * axis.in + axis.taps.index[i % size];
      std::copy_n(from + row * axis.inner, axis.inner, to + i * axis.inner);
    }
    std::swap(from, to);
  }
  std::copy_n(from, Elements(plan.shape), out);
  FillOutside(plan, outside, out);
}

// output: its shape; scale0, scale1, ...: of each dimension, output to input; what ResizeTapsOf
// reads; extrapolated: the number for what is outside
std::optional<ResizePlan> ReadResize(const Call& call, std::string& problem) {
  ResizePlan plan;
  const Dimensions& in = call.Shape(0);
  plan.shape = call.parameters.List("output");
  plan.extrapolated = call.parameters.Number("extrapolated", 0);
  if (plan.shape.size() != in.size()) {
    problem = "it resizes other dimensions than there are";
    return std::nullopt;
  }
  plan.in = plan.most = Elements(in);
  Dimensions now = in;
  for (std::size_t d = 0; d < in.size(); ++d) {
    ResizeRequest request = ResizeRequestOf(call.parameters, d);
    request.in = in[d];
    request.out = plan.shape[d];
    if (request.IsIdentity()) continue;
    now[d] = plan.shape[d];
    if (in[d] <= 0 || !(request.scale > 0) || !CheckSize({Dtype::kFloat64, now})) {
      problem = "it resizes by no scale, or what is empty, or to what is too large";
      return std::nullopt;
    }
    ResizedAxis axis;
    axis.in = static_cast<std::size_t>(in[d]);
    for (std::size_t i = 0; i < d; ++i) axis.outer *= static_cast<std::size_t>(now[i]);
    for (std::size_t i = d + 1; i < in.size(); ++i) axis.inner *= static_cast<std::size_t>(now[i]);
    if (!MakeResizeTaps(request, axis.taps)) {
      problem = "its mode has no kernel";
      return std::nullopt;
    }
    plan.axes.push_back(std::move(axis));
    plan.most = std::max(plan.most, Elements(now));
  }
  return plan;
}

Prepared PrepareResize(const Call& call) {
  Prepared prepared;
  const auto plan = ReadResize(call, prepared.refusal);
  if (!plan) return prepared;
  prepared.outputs = {{call.Input(0).dtype, plan->shape}};
  const bool nearest = call.parameters.Word("mode", "nearest") == "nearest";
  const auto shared = std::make_shared<const ResizePlan>(*plan);
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    using V = std::conditional_t<std::is_integral_v<T>, double, Computed<T>>;
    prepared.workspace = 2 * plan->most * (nearest ? sizeof(T) : sizeof(V));
    prepared.run = [shared, nearest](const void* const* inputs, void* const* outputs,
                                     void* workspace) {
      const auto* in = static_cast<const T*>(inputs[0]);
      auto* out = static_cast<T*>(outputs[0]);
      if (nearest) {
        T outside;
        Store(outside, static_cast<Computed<T>>(shared->extrapolated));
        TakeNearest(*shared, in, out, static_cast<T*>(workspace), outside);
      } else {
        ResizeNumbers(*shared, in, out, static_cast<V*>(workspace));
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Resize, "cpu")
    .Types("T", OPLEDGER_NUMBERS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Reads("output")
    .Reads("extrapolated")
    .Reads("mode: nearest, linear, cubic")
    .Reads("scale")
    .Reads("region_begin")
    .Reads("region_end")
    .Reads(
        "coordinates: half_pixel, pytorch_half_pixel, tf_half_pixel_for_nn, asymmetric, "
        "align_corners, half_pixel_symmetric, tf_crop_and_resize")
    .Reads("rounding: round_prefer_floor, round_prefer_ceil, floor, ceil")
    .Reads("cubic_a")
    .Reads("exclude_outside")
    .Reads("antialias")
    .Run(&PrepareResize);

}  // namespace
}  // namespace opledger
