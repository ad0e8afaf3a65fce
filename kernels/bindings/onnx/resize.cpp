// ONNX's Resize and Upsample: scales or sizes, of all dimensions or of some.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

struct Resized {
  Dimensions shape;
  std::vector<double> scales;  // of each dimension, output to input
};

// floor(input * scale), of the dimensions in `axes`.
std::optional<Resized> ByScales(const OnnxNode& node, const Integers& axes,
                                const std::vector<double>& scales) {
  if (scales.size() != axes.size()) return std::nullopt;
  Resized resized{node.Input(0).dimensions, {}};
  resized.scales.assign(resized.shape.size(), 1.0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double size = std::floor(static_cast<double>(resized.shape[axes[i]]) * scales[i]);
    if (!(size >= 0 && size < 1e15)) return std::nullopt;
    resized.scales[axes[i]] = scales[i];
    resized.shape[axes[i]] = static_cast<std::int64_t>(size);
  }
  return resized;
}

// To the sizes, or to the largest or smallest that keep the ratio of the sides.
std::optional<Resized> BySizes(const OnnxNode& node, const Integers& axes, const Integers& sizes) {
  if (sizes.size() != axes.size()) return std::nullopt;
  Resized resized{node.Input(0).dimensions, {}};
  resized.scales.assign(resized.shape.size(), 1.0);
  std::vector<double> scales;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t in = resized.shape[axes[i]];
    if (in <= 0 || sizes[i] < 0) return std::nullopt;
    scales.push_back(static_cast<double>(sizes[i]) / static_cast<double>(in));
  }
  const std::string policy = node.Word("keep_aspect_ratio_policy", "stretch");
  if (scales.empty()) return resized;
  const double one = policy == "not_larger" ? *std::min_element(scales.begin(), scales.end())
                                            : *std::max_element(scales.begin(), scales.end());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::int64_t& size = resized.shape[axes[i]];
    const bool stretches = policy == "stretch";
    resized.scales[axes[i]] = stretches ? scales[i] : one;
    const double rounded = std::floor(one * static_cast<double>(size) + 0.5);
    if (!stretches && !(rounded < 1e15)) return std::nullopt;
    size = stretches ? sizes[i] : static_cast<std::int64_t>(rounded);
  }
  return resized;
}

Bound BindResized(const OnnxNode& node, const std::optional<Resized>& resized) {
  if (!resized) return Unbound("its scales or sizes do not fit its input");
  Bound bound = BindFirst(node, "Resize");
  bound.parameters.Set("output", resized->shape);
  for (std::size_t d = 0; d < resized->scales.size(); ++d) {
    bound.parameters.Set("scale" + std::to_string(d), resized->scales[d]);
  }
  bound.parameters.Set("mode", node.Word("mode", "nearest"));
  bound.parameters.Set("coordinates", "asymmetric");  // before opset 11
  bound.parameters.Set("rounding", "floor");
  return bound;
}

Integers AllDimensions(const OnnxNode& node) {
  Integers axes(static_cast<std::size_t>(node.Rank(0)));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// The scales are an attribute before opset 9, an input since.
Bound BindUpsample(const OnnxNode& node) {
  std::vector<double> scales;
  if (node.opset() >= 9) {
    const auto known = node.KnownNumbers(1);
    if (!known) return Unbound("its scales are computed as the model runs");
    scales = *known;
  } else {
    for (const float each : node.Numbers("scales")) scales.push_back(each);
  }
  return BindResized(node, ByScales(node, AllDimensions(node), scales));
}

// The region of interest: all begins, then all ends.
bool SetRegion(const OnnxNode& node, const Integers& axes, Parameters& parameters) {
  const auto region = node.KnownNumbers(1);
  if (!region || region->size() != 2 * axes.size()) return false;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    parameters.Set("region_begin" + std::to_string(axes[i]), (*region)[i]);
    parameters.Set("region_end" + std::to_string(axes[i]), (*region)[axes.size() + i]);
  }
  return true;
}

// x, region, scales, sizes; before opset 11: x, scales. An empty one of scales and sizes is none.
Bound BindResize(const OnnxNode& node) {
  const bool old = node.opset() < 11;
  Integers axes = node.List("axes");
  if (!node.HasAttribute("axes")) axes = AllDimensions(node);
  for (std::int64_t& each : axes) {
    const auto axis = AxisOf(each, node.Rank(0));
    if (!axis) return Unbound("it has no such axis");
    each = *axis;
  }
  const std::size_t scales_at = old ? 1 : 2;
  const auto given = [&](std::size_t input) {
    return node.Has(input) && Elements(node.Input(input).dimensions) > 0;
  };
  std::optional<Resized> resized;
  if (given(scales_at)) {
    const auto scales = node.KnownNumbers(scales_at);
    if (!scales) return Unbound("its scales are computed as the model runs");
    resized = ByScales(node, axes, *scales);
  } else if (given(3)) {
    const auto sizes = node.KnownIntegers(3);
    if (!sizes) return Unbound("its sizes are computed as the model runs");
    resized = BySizes(node, axes, *sizes);
  }
  Bound bound = BindResized(node, resized);
  if (!bound.problem.empty() || old) return bound;
  const std::string coordinates = node.Word("coordinate_transformation_mode", "half_pixel");
  bound.parameters.Set("coordinates", coordinates);
  bound.parameters.Set("rounding", node.Word("nearest_mode", "round_prefer_floor"));
  bound.parameters.Set("cubic_a", node.Number("cubic_coeff_a", -0.75));
  bound.parameters.Set("exclude_outside", node.Integer("exclude_outside", 0));
  bound.parameters.Set("antialias", node.Integer("antialias", 0));
  bound.parameters.Set("extrapolated", node.Number("extrapolation_value", 0));
  if (coordinates == "tf_crop_and_resize" && !SetRegion(node, axes, bound.parameters)) {
    return Unbound("its region is computed as the model runs");
  }
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxResize() {
  static const std::vector<OnnxBinding> kTable = {
      {"Resize", BindResize},
      {"Upsample", BindUpsample},
  };
  return kTable;
}

}  // namespace opledger
