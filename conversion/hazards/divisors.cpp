// Finds x / 65535: data divided by a number beyond the type's range usually exceeds the range too.
// The analysis does not know how large x is.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/hazards.h"

namespace opledger {
namespace {

// Raises the nodes that move data to the division.
void RaiseMovers(HazardContext& context, ValueId value, const std::string& reason) {
  const NodeId producer = value == kNone ? kNone : context.graph.values[value].producer;
  if (producer == kNone) return;
  const Node& node = context.graph.nodes[producer];
  const bool moves =
      IsOneOf(node, {"Add",     "Sub",     "Abs",       "Neg",       "Relu",    "Clip",
                     "Max",     "Min",     "Where",     "Identity",  "Dropout", "Reshape",
                     "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Slice",   "Gather",
                     "Concat",  "Split",   "Expand",    "Tile",      "Pad"});
  if (!moves || !RaiseNode(context, producer, LabelRule::kOverflow, reason)) return;
  for (const ValueId input : node.inputs) {
    if (context.graph.IsFloat32(input)) RaiseMovers(context, input, reason);
  }
}

}  // namespace

void RaiseDivisors(HazardContext& context) {
  const double most = LargestOf(context.target);
  for (NodeId id = 0; id < static_cast<NodeId>(context.graph.nodes.size()); ++id) {
    const Node& node = context.graph.nodes[id];
    if (!IsOneOf(node, {"Div"}) || node.inputs.size() != 2) continue;
    const TensorRange& divisor = context.exact.Of(node.inputs[1]);
    const bool tight = divisor.all.IsBounded() && !divisor.all.loose.Any();
    if (!tight || divisor.all.Magnitude() <= most) continue;
    const std::string reason = "'" + context.graph.NameOf(id) + "' divides by " +
                               RangeText(divisor.all) + ", beyond " + DtypeName(context.target);
    RaiseNode(context, id, LabelRule::kOverflow, reason);
    RaiseMovers(context, node.inputs[0], reason);
  }
}

}  // namespace opledger
