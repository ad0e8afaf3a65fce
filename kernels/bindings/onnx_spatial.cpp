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

}  // namespace

const std::vector<OnnxBinding>& OnnxSpatial() {
  static const std::vector<OnnxBinding> kTable = {
      {"AveragePool", BindPool},
      {"GlobalAveragePool", BindGlobalPool},
      {"GlobalLpPool", BindGlobalPool},
      {"GlobalMaxPool", BindGlobalPool},
      {"LpPool", BindPool},
      {"MaxPool", BindPool},
  };
  return kTable;
}

}  // namespace opledger
