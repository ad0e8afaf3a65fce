// Finds MXNet's _mul_scalar(x, 1e6), where the scalar is an attribute and the range of x is
// unknown. Treats it as the other hazards treat constants of ONNX.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>

#include "conversion/hazards/hazards.h"

namespace opledger {
namespace {

constexpr double kSmallestScalar = 0x1p-17;  // below this float16 has fewer bits than bfloat16

}  // namespace

void RaiseScalars(HazardContext& context) {
  if (context.target != Dtype::kFloat16) return;  // bfloat16 has the range of float32
  const double most = LargestOf(context.target);
  std::vector<NodeId> raised;
  for (NodeId id = 0; id < static_cast<NodeId>(context.graph.nodes.size()); ++id) {
    const Node& node = context.graph.nodes[id];
    const bool adds = IsOneOf(node, {"_plus_scalar", "_minus_scalar", "_rminus_scalar"});
    if (!adds && !IsOneOf(node, {"_mul_scalar", "_div_scalar", "_rdiv_scalar"})) continue;
    const Attribute* scalar = node.Find("scalar");
    if (scalar == nullptr || !MayBeLow(context.labels[id])) continue;
    double number = 0;
    const std::string_view text = scalar->text;
    std::from_chars(text.data(), text.data() + text.size(), number);
    const double size = std::abs(number);
    const bool divides = node.op == "_div_scalar" && size > 0;
    const bool beyond = (divides ? std::max(size, 1 / size) : size) > most;
    const bool vanishes = !adds && size > 0 && size < kSmallestScalar;
    if (!beyond && !vanishes) continue;
    const bool done = RaiseNode(context, id, LabelRule::kScalar,
                                "its scalar " + std::string(text) +
                                    (beyond ? " is beyond float16" : " is too small for float16"));
    if (beyond && done) raised.push_back(id);
  }
  RaiseFreeReaders(context, std::move(raised), LabelRule::kScalar, "beyond float16");
}

}  // namespace opledger
