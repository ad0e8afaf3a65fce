// ONNX operators of transformers.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

Bound BindAttention(const OnnxNode& node) {
  Bound bound = BindAs(node, "Attention");
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

Bound BindRotary(const OnnxNode& node) {
  Bound bound = BindAs(node, "RotaryEmbedding");
  bound.parameters.Set("heads", node.Integer("num_heads", 0));
  bound.parameters.Set("pairs", node.Integer("rotary_embedding_dim", 0) / 2);
  bound.parameters.Set("interleaved", node.Integer("interleaved", 0));
  return bound;
}

Bound BindLinearAttention(const OnnxNode& node) {
  Bound bound = BindAs(node, "LinearAttention");
  bound.parameters.Set("q_heads", node.Integer("q_num_heads", 0));
  bound.parameters.Set("kv_heads", node.Integer("kv_num_heads", 0));
  bound.parameters.Set("scale", node.Number("scale", 0));
  bound.parameters.Set("rule", node.Word("update_rule", "gated_delta"));
  return bound;
}

Bound BindCausalConv(const OnnxNode& node) {
  const std::string activation = node.Word("activation", "none");
  const bool silu = activation == "silu" || activation == "swish";
  if (!silu && activation != "none") return Unbound("its activation is none that is known");
  Bound bound = BindAs(node, "CausalConvolution");
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
