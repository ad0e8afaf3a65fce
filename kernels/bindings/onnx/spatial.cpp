// ONNX operators on images.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/bindings/onnx/node.h"
#include "kernels/bindings/onnx/window.h"

namespace opledger {
namespace {

LoweredNode BindPool(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, std::string(node.op()));
  SetWindow(node, node.List("kernel_shape"), bound.parameters, true);
  bound.parameters.Set("count_pads", node.Integer("count_include_pad", 0));
  bound.parameters.Set("column_major", node.Integer("storage_order", 0));
  bound.parameters.Set("p", node.Integer("p", 2));
  return bound;
}

// A single window: the whole image.
LoweredNode BindGlobalPool(const OnnxNode& node) {
  if (node.Rank(0) < 3) return Unsupported("its input has no spatial dimensions");
  LoweredNode bound = BindAs(node, std::string(node.op().substr(6)));  // without "Global"
  const Dimensions& shape = node.Shape(0);
  bound.parameters.Set("kernel", Dimensions(shape.begin() + 2, shape.end()));
  bound.parameters.Set("p", node.Integer("p", 2));
  return bound;
}

// Before opset 20 the modes had other names.
LoweredNode BindGridSample(const OnnxNode& node) {
  const std::string mode = node.Word("mode", "linear");
  LoweredNode bound = BindAs(node, "GridSample");
  bound.parameters.Set("mode", mode == "bilinear"  ? std::string("linear")
                               : mode == "bicubic" ? std::string("cubic")
                                                   : mode);
  bound.parameters.Set("beyond", node.Word("padding_mode", "zeros"));
  bound.parameters.Set("align_corners", node.Integer("align_corners", 0));
  return bound;
}

LoweredNode BindRoiAlign(const OnnxNode& node) {
  const std::string coordinates = node.Word("coordinate_transformation_mode", "half_pixel");
  LoweredNode bound = BindAs(node, "RoiAlign");
  bound.parameters.Set("rows", node.Integer("output_height", 1));
  bound.parameters.Set("columns", node.Integer("output_width", 1));
  bound.parameters.Set("samples", node.Integer("sampling_ratio", 0));
  bound.parameters.Set("scale", node.Number("spatial_scale", 1));
  bound.parameters.Set("half_pixel",
                       std::int64_t{node.opset() >= 16 && coordinates == "half_pixel" ? 1 : 0});
  bound.parameters.Set("max", std::int64_t{node.Word("mode", "avg") == "max" ? 1 : 0});
  return bound;
}

// The pooled tensor has the size that its windows span; the output has output_shape, or the same
// size.
LoweredNode BindMaxUnpool(const OnnxNode& node) {
  Parameters window;
  SetWindow(node, node.List("kernel_shape"), window);
  const Integers kernel = window.List("kernel");
  const Integers strides = window.List("strides");
  const Integers begin = window.List("begin");
  const Integers end = window.List("end");
  Dimensions pooled = node.Shape(0);
  const std::size_t rank = kernel.size();
  if (pooled.size() != rank + 2 || strides.size() != rank || begin.size() != rank ||
      end.size() != rank) {
    return Unsupported("its window does not fit its input's spatial dimensions");
  }
  for (std::size_t d = 0; d < rank; ++d) {
    std::int64_t& size = pooled[d + 2];
    if (__builtin_mul_overflow(size - 1, strides[d], &size) ||
        __builtin_add_overflow(size, kernel[d], &size) ||
        __builtin_sub_overflow(size, begin[d], &size) ||
        __builtin_sub_overflow(size, end[d], &size)) {
      return Unsupported("its window is too large");
    }
  }
  Dimensions output = pooled;
  if (node.Has(2)) {
    const auto known = node.KnownIntegers(2);
    if (!known) return Unsupported(NeedsValues("its output's shape is computed at run time"));
    output = *known;
  }
  LoweredNode bound = BindAs(node, "MaxUnpool");
  bound.inputs.resize(std::min<std::size_t>(bound.inputs.size(), 2));
  bound.parameters.Set("pooled", pooled);
  bound.parameters.Set("output", output);
  return bound;
}

LoweredNode BindCol2Im(const OnnxNode& node) {
  const auto image = node.KnownIntegers(1);
  const auto block = node.KnownIntegers(2);
  if (!image || !block)
    return Unsupported(NeedsValues("its image or its block is computed at run time"));
  LoweredNode bound = BindFirst(node, "Col2Im");
  bound.parameters.Set("image", *image);
  SetWindow(node, *block, bound.parameters);
  return bound;
}

// The size is N, C and the spatial dimensions.
LoweredNode BindAffineGrid(const OnnxNode& node) {
  const auto size = node.KnownIntegers(1);
  if (!size || size->size() < 3)
    return Unsupported(NeedsValues("its size is computed at run time"));
  LoweredNode bound = BindFirst(node, "AffineGrid");
  bound.parameters.Set("image", Integers(size->begin() + 2, size->end()));
  bound.parameters.Set("align_corners", node.Integer("align_corners", 0));
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxSpatial() {
  static const std::vector<OnnxBinding> kTable = {
      {"AffineGrid", BindAffineGrid},
      {"AveragePool", BindPool},
      {"Col2Im", BindCol2Im},
      {"GlobalAveragePool", BindGlobalPool},
      {"GlobalLpPool", BindGlobalPool},
      {"GlobalMaxPool", BindGlobalPool},
      {"GridSample", BindGridSample},
      {"LpPool", BindPool},
      {"MaxPool", BindPool},
      {"MaxUnpool", BindMaxUnpool},
      {"RoiAlign", BindRoiAlign},
  };
  return kTable;
}

// ONNX's Resize and Upsample: scales or sizes, of all dimensions or of some.

namespace {

struct Resized {
  Dimensions shape;
  std::vector<double> scales;  // for each dimension, output / input
};

// floor(input * scale), for the dimensions in `axes`.
std::optional<Resized> ByScales(const OnnxNode& node, const Integers& axes,
                                const std::vector<double>& scales) {
  if (scales.size() != axes.size()) return std::nullopt;
  Resized resized{node.Shape(0), {}};
  resized.scales.assign(resized.shape.size(), 1.0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double size = std::floor(static_cast<double>(resized.shape[axes[i]]) * scales[i]);
    if (!(size >= 0 && size < 1e15)) return std::nullopt;
    resized.scales[axes[i]] = scales[i];
    resized.shape[axes[i]] = static_cast<std::int64_t>(size);
  }
  return resized;
}

// Returns the sizes, or the largest or smallest ones that keep the aspect ratio.
std::optional<Resized> BySizes(const OnnxNode& node, const Integers& axes, const Integers& sizes) {
  if (sizes.size() != axes.size()) return std::nullopt;
  Resized resized{node.Shape(0), {}};
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

LoweredNode BindResized(const OnnxNode& node, const std::optional<Resized>& resized) {
  if (!resized) return Unsupported("its scales or sizes do not fit its input");
  LoweredNode bound = BindFirst(node, "Resize");
  bound.parameters.Set("output", resized->shape);
  for (std::size_t d = 0; d < resized->scales.size(); ++d) {
    bound.parameters.Set("scale" + std::to_string(d), resized->scales[d]);
  }
  bound.parameters.Set("mode", node.Word("mode", "nearest"));
  bound.parameters.Set("coordinates", "asymmetric");  // default before opset 11
  bound.parameters.Set("rounding", "floor");
  return bound;
}

// The scales are an attribute before opset 9, an input since.
LoweredNode BindUpsample(const OnnxNode& node) {
  std::vector<double> scales;
  if (node.opset() >= 9) {
    const auto known = node.KnownNumbers(1);
    if (!known) return Unsupported(NeedsValues("its scales are computed at run time"));
    scales = *known;
  } else {
    for (const float each : node.Numbers("scales")) scales.push_back(each);
  }
  return BindResized(node, ByScales(node, AllAxes(node.Rank(0)), scales));
}

// The region of interest: all starts, then all ends.
bool SetRegion(const OnnxNode& node, const Integers& axes, Parameters& parameters) {
  const auto region = node.KnownNumbers(1);
  if (!region || region->size() != 2 * axes.size()) return false;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    parameters.Set("region_begin" + std::to_string(axes[i]), (*region)[i]);
    parameters.Set("region_end" + std::to_string(axes[i]), (*region)[axes.size() + i]);
  }
  return true;
}

// Inputs: x, region, scales, sizes; before opset 11: x, scales. Empty scales or sizes are absent.
LoweredNode BindResize(const OnnxNode& node) {
  const bool old = node.opset() < 11;
  Integers axes = node.List("axes");
  if (!node.HasAttribute("axes")) axes = AllAxes(node.Rank(0));
  for (std::int64_t& each : axes) {
    const auto axis = AxisOf(each, node.Rank(0));
    if (!axis) return Unsupported("its axis is out of range");
    each = *axis;
  }
  const std::size_t scales_at = old ? 1 : 2;
  const auto given = [&](std::size_t input) {
    return node.Has(input) && Elements(node.Shape(input)) > 0;
  };
  std::optional<Resized> resized;
  if (given(scales_at)) {
    const auto scales = node.KnownNumbers(scales_at);
    if (!scales) return Unsupported(NeedsValues("its scales are computed at run time"));
    resized = ByScales(node, axes, *scales);
  } else if (given(3)) {
    const auto sizes = node.KnownIntegers(3);
    if (!sizes) return Unsupported(NeedsValues("its sizes are computed at run time"));
    resized = BySizes(node, axes, *sizes);
  }
  LoweredNode bound = BindResized(node, resized);
  if (!bound.problem.ok() || old) return bound;
  const std::string coordinates = node.Word("coordinate_transformation_mode", "half_pixel");
  bound.parameters.Set("coordinates", coordinates);
  bound.parameters.Set("rounding", node.Word("nearest_mode", "round_prefer_floor"));
  bound.parameters.Set("cubic_a", node.Number("cubic_coeff_a", -0.75));
  bound.parameters.Set("exclude_outside", node.Integer("exclude_outside", 0));
  bound.parameters.Set("antialias", node.Integer("antialias", 0));
  bound.parameters.Set("extrapolated", node.Number("extrapolation_value", 0));
  if (coordinates == "tf_crop_and_resize" && !SetRegion(node, axes, bound.parameters)) {
    return Unsupported(NeedsValues("its region is computed at run time"));
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
