// Cast(position) * frequency -> Sin: float32 from the integers on, a MatMul between them too.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/pins/pins.h"

namespace opledger {
namespace {

bool IsPeriodic(const Node& node, const Use&) { return IsOneOf(node, {"Sin", "Cos", "Tan"}); }

}  // namespace

void PinPositions(PinContext& context) {
  std::vector<NodeId> sources;
  for (std::size_t id = 0; id < context.graph.nodes.size(); ++id) {
    const Node& node = context.graph.nodes[id];
    if (node.outputs.empty() || !context.graph.IsFloat32(node.outputs[0])) continue;
    const bool counted = IsOneOf(node, {"Cast"}) &&
                         IsParameter(context.graph, context.graph.values[node.outputs[0]]);
    const bool alike = IsOneOf(node, {"CastLike"}) && MayBeLow(context.labels[id]);
    if (counted || alike || IsOneOf(node, {"Range"})) sources.push_back(static_cast<NodeId>(id));
  }
  const OperatorNames carriers = {"MatMul",  "Gemm",      "Einsum",  "Mul",    "Div",
                                  "Add",     "Sub",       "Reshape", "Expand", "Unsqueeze",
                                  "Squeeze", "Transpose", "Concat",  "Slice",  "Gather",
                                  "Tile",    "Identity",  "Flatten", "Split"};
  for (const NodeId id : NodesBetween(context, sources, carriers, IsPeriodic)) {
    PinNode(context.labels[id], "positions",
            std::string("it turns positions into angles, and ") + DtypeName(context.target) +
                " does not have all integers");
  }
}

}  // namespace opledger
