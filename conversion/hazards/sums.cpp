// Finds Conv(32768 * audio): sums of products of large numbers. Assumes random signs, so that a sum
// grows with the square root of the number of products.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "conversion/hazards/hazards.h"

namespace opledger {

void RaiseSums(HazardContext& context) {
  if (context.model.shapes == nullptr) return;
  for (NodeId id = 0; id < static_cast<NodeId>(context.graph.nodes.size()); ++id) {
    const Node& node = context.graph.nodes[id];
    if (!IsOneOf(node, {"MatMul", "Gemm", "Conv"}) || node.inputs.size() < 2) continue;
    const Range& data = context.exact.Of(node.inputs[0]).all;
    const Range& weight = context.exact.Of(node.inputs[1]).all;
    const auto& shape = context.model.shapes->values[node.inputs[1]];
    const bool known = shape && shape->size() >= 2 && weight.IsBounded() && ReachOf(data) >= kUnit;
    if (!known) continue;
    double count = 1;
    for (const std::int64_t dimension : *shape) count *= static_cast<double>(dimension);
    const bool first = node.op == "Conv";  // the weights of Conv have the output channels first
    count /= static_cast<double>(std::max<std::int64_t>(1, first ? shape->front() : shape->back()));
    const double size = ReachOf(data) * weight.Magnitude() * std::sqrt(count);
    if (size <= LargestOf(context.target)) continue;
    RaiseNode(context, id, LabelRule::kOverflow,
              "it sums " + std::to_string(static_cast<std::int64_t>(count)) +
                  " products of numbers up to " + RangeText(Range::Point(ReachOf(data))) +
                  ", for data of ordinary size, which exceeds " + DtypeName(context.target));
  }
}

}  // namespace opledger
