// ONNX operators that compare what a network says with what it should say.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

Bound BindLoss(const OnnxNode& node) {
  Bound bound = BindAs(node, "CrossEntropy");
  bound.parameters.Set("softmax", std::int64_t{node.op() == "SoftmaxCrossEntropyLoss" ? 1 : 0});
  if (node.HasAttribute("ignore_index")) {
    bound.parameters.Set("ignored", node.Integer("ignore_index", 0));
  }
  bound.parameters.Set("reduction", node.Word("reduction", "mean"));
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxLosses() {
  static const std::vector<OnnxBinding> kTable = {
      {"NegativeLogLikelihoodLoss", BindLoss},
      {"SoftmaxCrossEntropyLoss", BindLoss},
  };
  return kTable;
}

}  // namespace opledger
