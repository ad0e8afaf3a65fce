// https://onnx.ai/onnx/operators/onnx__Resize.html has the formulas of the coordinates; the cubic
// weights are those of Keys, "Cubic convolution interpolation for digital image processing", 1981.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/image/resize_taps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opledger {
namespace {

// Where output `x` comes from, in the input's pixels; NaN: by no known formula.
double OriginOf(const ResizeRequest& request, double x) {
  const auto in = static_cast<double>(request.in);
  const double out = request.scale * in;  // before it is rounded down
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

// 1 at a distance of 0, 0 from `Reach` on.
double WeightAt(const ResizeRequest& request, double distance) {
  const double x = std::fabs(distance);
  if (request.mode == "linear") return std::max(0.0, 1 - x);
  const double a = request.cubic_a;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

// -1: unknown
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
  const auto most = static_cast<double>(request.in - 1);
  return static_cast<std::int64_t>(std::clamp(floor + (up ? 1 : 0), 0.0, most));
}

// The taps of one output around its origin; their weights add up to 1.
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

}  // namespace

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

bool MakeResizeTaps(const ResizeRequest& request, ResizeTaps& taps) {
  constexpr double kSmallestScale = 1e-6;  // a tap for every input number it covers, at most
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

}  // namespace opledger
