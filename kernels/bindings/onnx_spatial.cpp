// ONNX operators over images.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx_window.h"

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
      {"GlobalAveragePool", BindGlobalPool},
      {"GlobalLpPool", BindGlobalPool},
      {"GlobalMaxPool", BindGlobalPool},
      {"GridSample", BindGridSample},
      {"LpPool", BindPool},
      {"MaxPool", BindPool},
  };
  return kTable;
}

}  // namespace opledger
