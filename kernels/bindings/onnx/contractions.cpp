// ONNX operators that multiply and add along a dimension.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/node.h"
#include "kernels/bindings/onnx/window.h"

namespace opledger {
namespace {

LoweredNode BindMatMul(const OnnxNode& node) { return BindAs(node, "MatMul"); }

LoweredNode BindGemm(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "Gemm");
  bound.parameters.Set("alpha", node.Number("alpha", 1));
  bound.parameters.Set("beta", node.Number("beta", 1));
  bound.parameters.Set("transpose_a", node.Integer("transA", 0));
  bound.parameters.Set("transpose_b", node.Integer("transB", 0));
  return bound;
}

Dimensions KernelOf(const OnnxNode& node) {
  const Dimensions& weights = node.Shape(1);
  return weights.size() < 3 ? Dimensions{} : Dimensions(weights.begin() + 2, weights.end());
}

LoweredNode BindConv(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "Conv");
  bound.parameters.Set("groups", node.Integer("group", 1));
  SetWindow(node, KernelOf(node), bound.parameters);
  return bound;
}

LoweredNode BindConvTranspose(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "ConvTranspose");
  bound.parameters.Set("groups", node.Integer("group", 1));
  SetTransposedWindow(node, KernelOf(node), bound.parameters);
  return bound;
}

LoweredNode BindDeformConv(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "DeformableConvolution");
  bound.parameters.Set("groups", node.Integer("group", 1));
  bound.parameters.Set("offset_groups", node.Integer("offset_group", 1));
  SetWindow(node, KernelOf(node), bound.parameters);
  return bound;
}

LoweredNode BindEinsum(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "Einsum");
  bound.parameters.Set("equation", node.Word("equation", ""));
  return bound;
}

LoweredNode BindDet(const OnnxNode& node) { return BindAs(node, "Det"); }

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

// ONNX operators of transformers.

namespace {

LoweredNode BindAttention(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "Attention");
  Parameters& parameters = bound.parameters;
  parameters.Set("q_heads", node.Integer("q_num_heads", 0));
  parameters.Set("kv_heads", node.Integer("kv_num_heads", 0));
  if (node.HasAttribute("scale")) parameters.Set("scale", node.Number("scale", 0));
  parameters.Set("causal", node.Integer("is_causal", 0));
  parameters.Set("cap", node.Number("softcap", 0));
  parameters.Set("left", node.Integer("left_window_size", -1));
  parameters.Set("right", node.Integer("right_window_size", -1));
  parameters.Set("scores", node.Integer("qk_matmul_output_mode", 0));
  return bound;
}

LoweredNode BindRotary(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "RotaryEmbedding");
  bound.parameters.Set("heads", node.Integer("num_heads", 0));
  bound.parameters.Set("pairs", node.Integer("rotary_embedding_dim", 0) / 2);
  bound.parameters.Set("interleaved", node.Integer("interleaved", 0));
  return bound;
}

LoweredNode BindLinearAttention(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "LinearAttention");
  bound.parameters.Set("q_heads", node.Integer("q_num_heads", 0));
  bound.parameters.Set("kv_heads", node.Integer("kv_num_heads", 0));
  bound.parameters.Set("scale", node.Number("scale", 0));
  bound.parameters.Set("rule", node.Word("update_rule", "gated_delta"));
  return bound;
}

LoweredNode BindCausalConv(const OnnxNode& node) {
  const std::string activation = node.Word("activation", "none");
  const bool silu = activation == "silu" || activation == "swish";
  if (!silu && activation != "none") return Unsupported("its activation is unknown");
  LoweredNode bound = BindAs(node, "CausalConvolution");
  bound.parameters.Set("silu", std::int64_t{silu ? 1 : 0});
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxAttention() {
  static const std::vector<OnnxBinding> kTable = {
      {"Attention", BindAttention},
      {"CausalConvWithState", BindCausalConv},
      {"LinearAttention", BindLinearAttention},
      {"RotaryEmbedding", BindRotary},
  };
  return kTable;
}

}  // namespace opledger
