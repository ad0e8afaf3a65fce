// ONNX operators over images.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/bindings/onnx/window.h"

namespace opledger {
namespace {

Bound BindPool(const OnnxNode& node) {
  Bound bound = BindAs(node, std::string(node.op()));
  SetWindow(node, node.List("kernel_shape"), bound.parameters);
  bound.parameters.Set("count_pads", node.Integer("count_include_pad", 0));
  bound.parameters.Set("column_major", node.Integer("storage_order", 0));
  bound.parameters.Set("p", node.Integer("p", 2));
  return bound;
}

// One window: the whole image.
Bound BindGlobalPool(const OnnxNode& node) {
  if (node.Rank(0) < 3) return Unbound("its input has no spatial dimensions");
  Bound bound = BindAs(node, std::string(node.op().substr(6)));  // without "Global"
  const Dimensions& shape = node.Input(0).dimensions;
  bound.parameters.Set("kernel", Dimensions(shape.begin() + 2, shape.end()));
  bound.parameters.Set("p", node.Integer("p", 2));
  return bound;
}

// The modes were named otherwise before opset 20.
Bound BindGridSample(const OnnxNode& node) {
  const std::string mode = node.Word("mode", "linear");
  Bound bound = BindAs(node, "GridSample");
  bound.parameters.Set("mode", mode == "bilinear"  ? std::string("linear")
                               : mode == "bicubic" ? std::string("cubic")
                                                   : mode);
  bound.parameters.Set("beyond", node.Word("padding_mode", "zeros"));
  bound.parameters.Set("align_corners", node.Integer("align_corners", 0));
  return bound;
}

Bound BindRoiAlign(const OnnxNode& node) {
  const std::string coordinates = node.Word("coordinate_transformation_mode", "half_pixel");
  Bound bound = BindAs(node, "RoiAlign");
  bound.parameters.Set("rows", node.Integer("output_height", 1));
  bound.parameters.Set("columns", node.Integer("output_width", 1));
  bound.parameters.Set("samples", node.Integer("sampling_ratio", 0));
  bound.parameters.Set("scale", node.Number("spatial_scale", 1));
  bound.parameters.Set("half_pixel",
                       std::int64_t{node.opset() >= 16 && coordinates == "half_pixel" ? 1 : 0});
  bound.parameters.Set("max", std::int64_t{node.Word("mode", "avg") == "max" ? 1 : 0});
  return bound;
}

// The pooled tensor is as large as its windows reach; the output as it says, or as that.
Bound BindMaxUnpool(const OnnxNode& node) {
  Parameters window;
  SetWindow(node, node.List("kernel_shape"), window);
  const Integers kernel = window.List("kernel");
  const Integers strides = window.List("strides");
  const Integers begin = window.List("begin");
  const Integers end = window.List("end");
  Dimensions pooled = node.Input(0).dimensions;
  const std::size_t rank = kernel.size();
  if (pooled.size() != rank + 2 || strides.size() != rank || begin.size() != rank ||
      end.size() != rank) {
    return Unbound("its window does not fit its input's spatial dimensions");
  }
  for (std::size_t d = 0; d < rank; ++d) {
    std::int64_t& size = pooled[d + 2];
    if (__builtin_mul_overflow(size - 1, strides[d], &size) ||
        __builtin_add_overflow(size, kernel[d], &size) ||
        __builtin_sub_overflow(size, begin[d], &size) ||
        __builtin_sub_overflow(size, end[d], &size)) {
      return Unbound("its window is too large");
    }
  }
  Dimensions output = pooled;
  if (node.Has(2)) {
    const auto known = node.KnownIntegers(2);
    if (!known) return Unbound("its output's shape is computed as the model runs");
    output = *known;
  }
  Bound bound = BindAs(node, "MaxUnpool");
  bound.inputs.resize(std::min<std::size_t>(bound.inputs.size(), 2));
  bound.parameters.Set("pooled", pooled);
  bound.parameters.Set("output", output);
  return bound;
}

Bound BindCol2Im(const OnnxNode& node) {
  const auto image = node.KnownIntegers(1);
  const auto block = node.KnownIntegers(2);
  if (!image || !block) return Unbound("its image or its block is computed as the model runs");
  Bound bound = BindFirst(node, "Col2Im");
  bound.parameters.Set("image", *image);
  SetWindow(node, *block, bound.parameters);
  return bound;
}

// The size is N, C and the spatial dimensions.
Bound BindAffineGrid(const OnnxNode& node) {
  const auto size = node.KnownIntegers(1);
  if (!size || size->size() < 3) return Unbound("its size is computed as the model runs");
  Bound bound = BindFirst(node, "AffineGrid");
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

}  // namespace opledger
