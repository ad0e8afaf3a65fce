// Finds DequantizeLinear(int32 bias, 3e-6): float16 keeps six bits of the scale, and so of the
// bias.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/hazards.h"

namespace opledger {

void RaiseScales(HazardContext& context) {
  constexpr float kLeastNormal = 0x1p-14F;  // of float16; bfloat16 has the range of float32
  if (context.target != Dtype::kFloat16) return;
  for (NodeId id = 0; id < static_cast<NodeId>(context.graph.nodes.size()); ++id) {
    const Node& node = context.graph.nodes[id];
    if (!IsOneOf(node, {"DequantizeLinear", "QuantizeLinear"}) || node.inputs.size() < 2) continue;
    if (!WouldCast(context.labels[id], 1)) continue;
    const ParameterStatistics& scale = context.statistics[node.inputs[1]];
    const std::string name = "its scale '" + std::string(context.graph.values[node.inputs[1]].name);
    if (scale.count == 0) {
      RaiseNode(context, id, LabelRule::kScale,
                name + "' is computed, and may be too small for float16");
    } else if (scale.min_magnitude < kLeastNormal) {
      RaiseNode(context, id, LabelRule::kScale,
                name + "' has elements that float16 represents only coarsely");
    }
  }
}

}  // namespace opledger
