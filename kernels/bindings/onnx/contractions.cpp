// ONNX operators that multiply and add along a dimension.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/window.h"

namespace opledger {
namespace {

Bound BindMatMul(const OnnxNode& node) { return BindAs(node, "MatMul"); }

Bound BindGemm(const OnnxNode& node) {
  Bound bound = BindAs(node, "Gemm");
  bound.parameters.Set("alpha", node.Number("alpha", 1));
  bound.parameters.Set("beta", node.Number("beta", 1));
  bound.parameters.Set("transpose_a", node.Integer("transA", 0));
  bound.parameters.Set("transpose_b", node.Integer("transB", 0));
  return bound;
}

Dimensions KernelOf(const OnnxNode& node) {
  const Dimensions& weights = node.Input(1).dimensions;
  return weights.size() < 3 ? Dimensions{} : Dimensions(weights.begin() + 2, weights.end());
}

Bound BindConv(const OnnxNode& node) {
  Bound bound = BindAs(node, "Conv");
  bound.parameters.Set("groups", node.Integer("group", 1));
  SetWindow(node, KernelOf(node), bound.parameters);
  return bound;
}

Bound BindConvTranspose(const OnnxNode& node) {
  Bound bound = BindAs(node, "ConvTranspose");
  bound.parameters.Set("groups", node.Integer("group", 1));
  SetTransposedWindow(node, KernelOf(node), bound.parameters);
  return bound;
}

Bound BindDeformConv(const OnnxNode& node) {
  Bound bound = BindAs(node, "DeformableConvolution");
  bound.parameters.Set("groups", node.Integer("group", 1));
  bound.parameters.Set("offset_groups", node.Integer("offset_group", 1));
  SetWindow(node, KernelOf(node), bound.parameters);
  return bound;
}

Bound BindEinsum(const OnnxNode& node) {
  Bound bound = BindAs(node, "Einsum");
  bound.parameters.Set("equation", node.Word("equation", ""));
  return bound;
}

Bound BindDet(const OnnxNode& node) { return BindAs(node, "Det"); }

}  // namespace

const std::vector<OnnxBinding>& OnnxContractions() {
  static const std::vector<OnnxBinding> kTable = {
      {"Conv", BindConv},
      {"ConvTranspose", BindConvTranspose},
      {"DeformConv", BindDeformConv},
      {"Det", BindDet},
      {"Einsum", BindEinsum},
      {"Gemm", BindGemm},
      {"MatMul", BindMatMul},
  };
  return kTable;
}

}  // namespace opledger
