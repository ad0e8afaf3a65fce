// Where(mask, scores, -3.4e38) -> Softmax: float32, both. As -inf the mask would be right wherever
// a row has something unmasked, and NaN where not; a constant can be proven to be of the first
// kind.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "conversion/pins.h"

namespace opledger {
namespace {

bool IsSoftmax(const Node& node, const Use&) { return IsOneOf(node, {"Softmax", "LogSoftmax"}); }

// Whether the node's Softmax runs along the last dimension. Before version 13 the default was 1.
bool AlongLast(const Graph& graph, const Node& node) {
  const Attribute* axis = node.Find("axis");
  if (axis != nullptr) return axis->integer == -1;
  const auto& opsets = graph.OpsetsIn(node.scope);
  const auto opset = opsets.find("");
  return opset != opsets.end() && opset->second >= 13;
}

// Whether `use` adds a mask that leaves something of each row, and nothing but Softmax reads it.
bool IsProven(const PinContext& context, const Use& use, const ParameterStatistics& numbers) {
  const Graph& graph = context.graph;
  const Node& node = graph.nodes[use.node];
  if (!IsOneOf(node, {"Add"}) || !numbers.every_row_unmasked || numbers.overflows_above)
    return false;
  const std::vector<Use>& readers = graph.values[node.outputs.front()].uses;
  const std::vector<ValueId>& outputs = graph.scopes[node.scope].outputs;
  const bool given =
      std::find(outputs.begin(), outputs.end(), node.outputs.front()) != outputs.end();
  return !given && std::all_of(readers.begin(), readers.end(), [&](const Use& reader) {
    const Node& softmax = graph.nodes[reader.node];
    return IsSoftmax(softmax, reader) && AlongLast(graph, softmax);
  });
}

}  // namespace

void PinMasks(PinContext& context) {
  const float mask = -MaskMagnitude(context.target);
  std::vector<NodeId> sources;
  std::vector<NodeId> proven;
  for (std::size_t id = 0; id < context.graph.values.size(); ++id) {
    const ParameterStatistics& numbers = context.statistics[id];
    if (numbers.least > mask) continue;
    for (const Use& use : context.graph.values[id].uses) {
      const Node& node = context.graph.nodes[use.node];
      if (!IsOneOf(node, {"Add", "Sub", "Mul", "Where", "Min", "Sum", "Concat", "Expand"}))
        continue;
      (IsProven(context, use, numbers) ? proven : sources).push_back(use.node);
    }
  }
  const OperatorNames carriers = {
      "Add",     "Sub",       "Mul",     "Div",     "Where",     "Min",      "Max",      "Sum",
      "Reshape", "Unsqueeze", "Squeeze", "Expand",  "Transpose", "Identity", "Slice",    "Gather",
      "Concat",  "Tile",      "Cast",    "Flatten", "Trilu",     "Split",    "GatherND", "Pad"};
  for (const NodeId id : NodesBetween(context.graph, sources, carriers, IsSoftmax)) {
    PinNode(context.labels[id], "mask",
            std::string("a row that is masked as a whole would be NaN in ") +
                DtypeName(context.target));
  }
  for (const NodeId id : proven) {
    if (MayBeLow(context.labels[id])) context.labels[id].may_overflow = true;
  }
}

}  // namespace opledger
