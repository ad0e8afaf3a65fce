// Resize: each output element is a weighted sum of input elements around its origin, one dimension
// at a time. https://onnx.ai/onnx/operators/onnx__Resize.html has the formulas of the coordinates.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/image/resize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "kernels/cpu/formulas/dynamic_scale.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/image/image.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// The parameters of one dimension.
struct ResizeRequest {
  std::int64_t in = 0;
  std::int64_t out = 0;
  double scale = 1;         // output size / input size
  double region_begin = 0;  // as a fraction of the input, for tf_crop_and_resize
  double region_end = 1;
  std::string mode;         // nearest, linear, cubic
  std::string coordinates;  // half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners,
                            // asymmetric, tf_crop_and_resize, tf_half_pixel_for_nn
  std::string rounding;     // for nearest: round_prefer_floor, round_prefer_ceil, floor, ceil
  double cubic_a = -0.75;
  bool exclude_outside = false;  // ignores pixels outside; otherwise uses the edge pixel
  bool antialias = false;        // when shrinking, averages over all pixels covered

  bool IsIdentity() const { return in == out && scale == 1 && coordinates != "tf_crop_and_resize"; }
};

// Returns the origin of output `x` in input pixels, or NaN if the coordinate mode is unknown.
double OriginOf(const ResizeRequest& request, double x) {
  const auto in = static_cast<double>(request.in);
  const double out = request.scale * in;  // the exact size, before rounding down
  const double half_pixel = (x + 0.5) / request.scale - 0.5;
  const std::string& kind = request.coordinates;
  if (kind == "half_pixel") return half_pixel;
  if (kind == "pytorch_half_pixel") return request.out == 1 ? 0 : half_pixel;
  if (kind == "tf_half_pixel_for_nn") return (x + 0.5) / request.scale;
  if (kind == "asymmetric") return x / request.scale;
  if (kind == "align_corners") return out == 1 ? 0 : x * (in - 1) / (out - 1);
  if (kind == "half_pixel_symmetric") {
    return in / 2 * (1 - static_cast<double>(request.out) / out) + half_pixel;
  }
  if (kind == "tf_crop_and_resize") {
    const double region = request.region_end - request.region_begin;
    const double within = out == 1 ? region * (in - 1) / 2 : x * region * (in - 1) / (out - 1);
    return request.region_begin * (in - 1) + within;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// Returns the weight at a distance: 1 at 0, and 0 from `Reach` on.
double WeightAt(const ResizeRequest& request, double distance) {
  const double x = std::fabs(distance);
  if (request.mode == "linear") return std::max(0.0, 1 - x);
  return CubicWeight(x, request.cubic_a);
}

// Returns the nearest pixel, or -1 if the rounding mode is unknown.
std::int64_t NearestOf(const ResizeRequest& request, double origin) {
  const double floor = std::floor(origin);
  const double above = origin - floor;
  bool up = false;
  if (request.rounding == "round_prefer_floor") {
    up = above > 0.5;
  } else if (request.rounding == "round_prefer_ceil") {
    up = above >= 0.5;
  } else if (request.rounding == "ceil") {
    up = above > 0;
  } else if (request.rounding != "floor") {
    return -1;
  }
  const auto max = static_cast<double>(request.in - 1);
  return static_cast<std::int64_t>(std::clamp(floor + (up ? 1 : 0), 0.0, max));
}

// Adds the taps of one output around its origin; their weights add up to 1.
void AddTaps(const ResizeRequest& request, double origin, ResizeTaps& taps) {
  const double scale = request.antialias ? std::min(request.scale, 1.0) : 1.0;
  const double reach = (request.mode == "linear" ? 1 : 2) / scale;
  const auto first = static_cast<std::int64_t>(std::floor(-reach)) + 1;
  const double floor = std::floor(origin);
  const std::size_t start = taps.weight.size();
  double sum = 0;
  for (std::int64_t i = first; i < 2 - first; ++i) {
    const double place = floor + static_cast<double>(i);
    const bool outside = place < 0 || place >= static_cast<double>(request.in);
    const double weight =
        outside && request.exclude_outside ? 0 : WeightAt(request, (place - origin) * scale);
    const double held = std::clamp(place, 0.0, static_cast<double>(request.in - 1));
    taps.index.push_back(static_cast<std::size_t>(held));
    taps.weight.push_back(weight);
    sum += weight;
  }
  for (std::size_t i = start; i < taps.weight.size() && sum != 0; ++i) taps.weight[i] /= sum;
}

// Reads the parameters of those names, and scale<d>, region_begin<d> and region_end<d>.
ResizeRequest ResizeRequestOf(const Parameters& parameters, std::size_t d) {
  const std::string number = std::to_string(d);
  ResizeRequest request;
  request.scale = parameters.Number("scale" + number, 1);
  request.region_begin = parameters.Number("region_begin" + number, 0);
  request.region_end = parameters.Number("region_end" + number, 1);
  request.mode = parameters.Word("mode", "nearest");
  request.coordinates = parameters.Word("coordinates", "half_pixel");
  request.rounding = parameters.Word("rounding", "round_prefer_floor");
  request.cubic_a = parameters.Number("cubic_a", -0.75);
  request.exclude_outside = parameters.Integer("exclude_outside", 0) != 0;
  request.antialias = parameters.Integer("antialias", 0) != 0;
  return request;
}

// Returns false if a mode is unknown. `in` is at least 1, `scale` is positive.
bool MakeResizeTaps(const ResizeRequest& request, ResizeTaps& taps) {
  constexpr double kSmallestScale = 1e-6;  // limits the taps, one for each input element covered
  if (request.antialias && request.scale < kSmallestScale) return false;
  taps.outputs = static_cast<std::size_t>(request.out);
  for (std::int64_t i = 0; i < request.out; ++i) {
    const double origin = OriginOf(request, static_cast<double>(i));
    if (!(std::fabs(origin) < 1e15)) return false;
    if (request.coordinates == "tf_crop_and_resize") {
      taps.outside.push_back(origin < 0 || origin > static_cast<double>(request.in - 1));
    }
    if (request.mode == "linear" || request.mode == "cubic") {
      AddTaps(request, origin, taps);
      continue;
    }
    const std::int64_t nearest = request.mode == "nearest" ? NearestOf(request, origin) : -1;
    if (nearest < 0) return false;
    taps.index.push_back(static_cast<std::size_t>(nearest));
    taps.weight.push_back(1);
  }
  return true;
}

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

// Sets elements that are outside the region of interest.
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

// Returns the extrapolation value in the type, rounded or clamped.
template <typename T>
T OutsideOf(const ResizePlan& plan) {
  T outside;
  if constexpr (std::is_integral_v<T>) {
    outside = Saturated<T>(std::trunc(plan.extrapolated));
  } else {
    Store(outside, static_cast<Computed<T>>(plan.extrapolated));
  }
  return outside;
}

// Resizes all dimensions in `V`; the workspace has two tensors of the largest size.
template <typename T, typename V>
void ResizeNumbers(const ResizePlan& plan, const T* in, T* out, V* workspace) {
  V* from = workspace;
  V* to = workspace + plan.max;
  for (std::size_t i = 0; i < plan.in; ++i) from[i] = static_cast<V>(Load(in[i]));
  for (const ResizedAxis& axis : plan.axes) {
    ResizeAlong(axis, from, to);
    std::swap(from, to);
  }
  const std::size_t count = Elements(plan.shape);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>) {
      out[i] = Saturated<T>(std::trunc(from[i]));  // like ONNX's reference and ONNX Runtime
    } else {
      Store(out[i], from[i]);
    }
  }
  FillOutside(plan, OutsideOf<T>(plan), out);
}

// Copies elements: each output element is one input element, found dimension by dimension.
template <typename T>
void TakeNearest(const ResizePlan& plan, const T* in, T* out, T* workspace) {
  const T* from = in;
  for (const ResizedAxis& axis : plan.axes) {
    const std::size_t size = axis.taps.outputs;
    T* to = &axis == &plan.axes.back() ? out : workspace;
    for (std::size_t o = 0; o < axis.outer; ++o) {
      const T* rows = from + o * axis.in * axis.inner;
      for (std::size_t i = 0; i < size; ++i) {
        const T* row = rows + axis.taps.index[i] * axis.inner;
        to = axis.inner == 1 ? (*to = *row, to + 1) : std::copy_n(row, axis.inner, to);
      }
    }
    from = workspace;
    workspace += plan.max;
  }
  if (plan.axes.empty()) std::copy_n(in, plan.in, out);
  FillOutside(plan, OutsideOf<T>(plan), out);
}

}  // namespace

StatusOr<ResizePlan> ReadResize(const Call& call) {
  ResizePlan plan;
  const Dimensions& in = call.Shape(0);
  plan.shape = call.parameters.List("output");
  plan.extrapolated = call.parameters.Number("extrapolated", 0);
  if (plan.shape.size() != in.size()) {
    return Status("its sizes do not match its input's rank");
  }
  plan.in = plan.max = Elements(in);
  Dimensions now = in;
  for (std::size_t d = 0; d < in.size(); ++d) {
    ResizeRequest request = ResizeRequestOf(call.parameters, d);
    request.in = in[d];
    request.out = plan.shape[d];
    if (request.IsIdentity()) continue;
    now[d] = plan.shape[d];
    if (in[d] <= 0 || !(request.scale > 0) || !CheckSize({Dtype::kFloat64, now})) {
      return Status("its scales are not positive, its input is empty, or its output is too large");
    }
    ResizedAxis axis;
    axis.in = static_cast<std::size_t>(in[d]);
    for (std::size_t i = 0; i < d; ++i) axis.outer *= static_cast<std::size_t>(now[i]);
    for (std::size_t i = d + 1; i < in.size(); ++i) axis.inner *= static_cast<std::size_t>(now[i]);
    if (!MakeResizeTaps(request, axis.taps)) {
      return Status("its mode is not supported");
    }
    plan.axes.push_back(std::move(axis));
    plan.max = std::max(plan.max, Elements(now));
  }
  return plan;
}

namespace {

Prepared PrepareResize(const Call& call) {
  const auto plan = ReadResize(call);
  if (!plan) return Refuse(plan.status());
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, plan->shape}};
  const bool nearest = call.parameters.Word("mode", "nearest") == "nearest";
  const auto shared = std::make_shared<const ResizePlan>(*plan);
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    using V = std::conditional_t<std::is_integral_v<T>, double, Computed<T>>;
    const std::size_t tensors = nearest ? std::max<std::size_t>(1, plan->axes.size()) - 1 : 2;
    prepared.workspace = tensors * plan->max * (nearest ? sizeof(T) : sizeof(V));
    prepared.run = [shared, nearest](const void* const* inputs, void* const* outputs,
                                     void* workspace) {
      const auto* in = static_cast<const T*>(inputs[0]);
      auto* out = static_cast<T*>(outputs[0]);
      if (nearest) {
        TakeNearest(*shared, in, out, static_cast<T*>(workspace));
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
    .ChannelsLast(ChannelsLastUse::kByDimension)
    .Rounds(Rounding::kAtTheEnd)
    .Run(&PrepareResize);

}  // namespace
}  // namespace opledger
