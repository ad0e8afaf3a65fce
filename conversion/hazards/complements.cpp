// Finds log(p / max(1 - p, 1e-5)), p = sigmoid(x). A 16-bit p is coarse near 1, so 1 - p loses all
// its digits. The bounds are the same in 16 bits, so they do not reveal this.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/hazards.h"

namespace opledger {
namespace {

// Returns whether the node computes 1 - p for p up to 1.
bool IsComplement(const HazardContext& context, const Node& node) {
  if (!IsOneOf(node, {"Sub"}) || node.inputs.size() != 2) return false;
  const Range& one = context.exact.Of(node.inputs[0]).all;
  const Range& part = context.exact.Of(node.inputs[1]).all;
  return one.IsPoint() && one.low == 1 && !part.IsPoint() && part.IsBounded() && part.high <= 1 &&
         part.high > kNearOne;
}

// Returns whether the result depends on digits of the input that are close to zero.
bool NeedsDigits(const Node& node, const Use& use) {
  return IsOneOf(node, {"Log", "Reciprocal"}) || (use.input == 1 && IsOneOf(node, {"Div"}));
}

// Raises the nodes that compute p, as long as they produce numbers up to 1.
void RaiseWholes(HazardContext& context, ValueId value, const std::string& reason) {
  const NodeId producer = value == kNone ? kNone : context.graph.values[value].producer;
  if (producer == kNone || !context.exact.Of(value).all.IsBounded()) return;
  const Node& node = context.graph.nodes[producer];
  const bool makes = IsOneOf(node, {"Sigmoid", "Tanh", "Softmax", "HardSigmoid", "Clip", "Max",
                                    "Min", "Abs", "Identity", "Dropout", "Reshape", "Transpose",
                                    "Slice", "Gather", "Squeeze", "Unsqueeze", "Concat", "Where"});
  if (!makes || !RaiseNode(context, producer, LabelRule::kGuard, reason)) return;
  for (const ValueId input : node.inputs) RaiseWholes(context, input, reason);
}

}  // namespace

void RaiseComplements(HazardContext& context) {
  std::vector<NodeId> sources;
  for (NodeId id = 0; id < static_cast<NodeId>(context.graph.nodes.size()); ++id) {
    if (IsComplement(context, context.graph.nodes[id])) sources.push_back(id);
  }
  const OperatorNames carriers = {"Max",     "Clip",      "Add",       "Where",  "Identity",
                                  "Dropout", "Reshape",   "Transpose", "Slice",  "Gather",
                                  "Squeeze", "Unsqueeze", "Concat",    "Expand", "Sqrt"};
  for (const NodeId id : NodesBetween(context, sources, carriers, NeedsDigits)) {
    const Node& node = context.graph.nodes[id];
    const std::string reason = "it depends on the digits of 1 - p near zero, which " +
                               std::string(DtypeName(context.target)) + " loses where p is near 1";
    RaiseNode(context, id, LabelRule::kGuard, reason);
    if (IsComplement(context, node)) RaiseWholes(context, node.inputs[1], reason);
  }
}

}  // namespace opledger
