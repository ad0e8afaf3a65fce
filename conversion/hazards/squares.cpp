// Finds ReduceMean(x * x): the square stays in float32 with the sum.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/hazards.h"

namespace opledger {

void RaiseSquares(HazardContext& context) {
  if (context.target != Dtype::kFloat16) return;  // bfloat16 has the range of float32
  for (NodeId id = 0; id < static_cast<NodeId>(context.graph.nodes.size()); ++id) {
    const Node& node = context.graph.nodes[id];
    const bool square = IsOneOf(node, {"Mul"}) && node.inputs.size() == 2 &&
                        node.inputs[0] == node.inputs[1] && node.outputs.size() == 1 &&
                        node.outputs[0] != kNone;
    if (!square) continue;
    for (const Use& use : context.graph.values[node.outputs[0]].uses) {
      const Node& sum = context.graph.nodes[use.node];
      const bool high = context.labels[use.node].label == Label::kFp32;
      if (!high || use.input != 0 || !IsOneOf(sum, {"ReduceMean", "ReduceSum"})) continue;
      if (context.labels[id].rule == LabelRule::kNode) continue;
      RaiseNode(context, id, LabelRule::kSquare,
                "'" + context.graph.NameOf(use.node) +
                    "' sums its squares, which overflow float16 from 256 on");
    }
  }
}

}  // namespace opledger
