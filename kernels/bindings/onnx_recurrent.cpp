// ONNX's recurrent layers.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx_node.h"

namespace opledger {
namespace {

// Activations other than the usual ones and clipped sums are not computed.
Bound BindRecurrent(const OnnxNode& node) {
  for (const char* attribute : {"activations", "activation_alpha", "activation_beta", "clip"}) {
    if (node.HasAttribute(attribute)) return Unbound(std::string("it has ") + attribute);
  }
  if (node.Integer("input_forget", 0) != 0) return Unbound("it has input_forget");
  const std::string direction = node.Word("direction", "forward");
  Bound bound = BindAs(node, node.op() == "LSTM" ? "Lstm" : node.op() == "GRU" ? "Gru" : "Rnn");
  bound.parameters.Set("directions", std::int64_t{direction == "bidirectional" ? 2 : 1});
  bound.parameters.Set("backwards", std::int64_t{direction == "reverse" ? 1 : 0});
  bound.parameters.Set("batch_first", node.Integer("layout", 0));
  bound.parameters.Set("reset_after", node.Integer("linear_before_reset", 0));
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxRecurrent() {
  static const std::vector<OnnxBinding> kTable = {
      {"GRU", BindRecurrent},
      {"LSTM", BindRecurrent},
      {"RNN", BindRecurrent},
  };
  return kTable;
}

}  // namespace opledger
