// Finds Where(mask, scores, -3.4e38) -> Softmax, and keeps both in float32. In 16 bits the mask
// would be -inf, which yields NaN for a fully masked row; clamping it to -10000 instead would lose
// the scores of such a row. Masks that leave something of each row are harmless; this can be proven
// for some constants: Add(scores, constant), Where(constant, scores, -3.4e38).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "conversion/hazards/hazards.h"

namespace opledger {
namespace {

bool IsSoftmax(const Node& node, const Use&) { return IsOneOf(node, {"Softmax", "LogSoftmax"}); }

// Returns whether the node's Softmax runs along the last axis. Before version 13 the default axis
// was 1.
bool AlongLast(const Graph& graph, const Node& node) {
  const Attribute* axis = node.Find("axis");
  if (axis != nullptr) return axis->integer == -1;
  return graph.OpsetIn(node.scope) >= 13;
}

// Returns whether no row that `use` masks is fully masked, because a constant is added or selects.
bool LeavesSomethingOfEachRow(const HazardContext& context, const Use& use,
                              const ParameterStatistics& numbers) {
  const Node& node = context.graph.nodes[use.node];
  if (numbers.max >= MinMaskMagnitude(context.target)) return false;
  if (IsOneOf(node, {"Add"})) return numbers.every_row_unmasked;
  if (!IsOneOf(node, {"Where"}) || node.inputs.front() == kNone) return false;
  const ParameterStatistics& condition = context.statistics[node.inputs.front()];
  return use.input == 2 ? condition.every_row_true : condition.every_row_false;
}

// Returns whether `use` leaves something of each row and only Softmax nodes read the result.
bool IsProven(const HazardContext& context, const Use& use, const ParameterStatistics& numbers) {
  const Graph& graph = context.graph;
  const Node& node = graph.nodes[use.node];
  if (!LeavesSomethingOfEachRow(context, use, numbers)) return false;
  const std::vector<Use>& readers = graph.values[node.outputs.front()].uses;
  const std::vector<ValueId>& outputs = graph.scopes[node.scope].outputs;
  const bool given =
      std::find(outputs.begin(), outputs.end(), node.outputs.front()) != outputs.end();
  return !given && std::all_of(readers.begin(), readers.end(), [&](const Use& reader) {
    const Node& softmax = graph.nodes[reader.node];
    return IsSoftmax(softmax, reader) && AlongLast(graph, softmax);
  });
}

// Returns whether `use` makes a mask of these elements. (1 - m) * -10000 and (m - 1) * 10000 do;
// the minimum of a score and 10000 does not.
bool MakesMask(const Graph& graph, const Use& use, const ParameterStatistics& numbers,
               float magnitude) {
  const Node& node = graph.nodes[use.node];
  if (numbers.min <= -magnitude && IsOneOf(node, {"Min"})) return true;
  return numbers.max_magnitude >= magnitude &&
         IsOneOf(node, {"Add", "Sub", "Mul", "Where", "Sum", "Concat", "Expand"});
}

// Returns the statistics of a parameter, or the bounds of a computed constant as statistics.
ParameterStatistics NumbersOf(const HazardContext& context, ValueId value) {
  const ParameterStatistics& statistics = context.statistics[value];
  const TensorRange& range = context.exact.Of(value);
  if (statistics.count != 0 || (range.elements == nullptr && !range.IsPoint())) return statistics;
  ParameterStatistics numbers;
  if (!range.all.IsBounded() || range.all.loose.Any()) return statistics;
  numbers.count = range.elements == nullptr ? 1 : range.elements->numbers.size();
  numbers.max_magnitude = static_cast<float>(range.all.Magnitude());
  numbers.min = static_cast<float>(std::min(0.0, range.all.low));
  numbers.max = static_cast<float>(std::max(0.0, range.all.high));
  numbers.every_row_unmasked = false;
  return numbers;
}

}  // namespace

void RaiseMasks(HazardContext& context) {
  const float magnitude = MinMaskMagnitude(context.target);
  std::vector<NodeId> sources;
  std::vector<NodeId> proven;
  for (std::size_t id = 0; id < context.graph.values.size(); ++id) {
    const ParameterStatistics numbers = NumbersOf(context, static_cast<ValueId>(id));
    if (numbers.max_magnitude < magnitude) continue;
    for (const Use& use : context.graph.values[id].uses) {
      if (!MakesMask(context.graph, use, numbers, magnitude)) continue;
      (IsProven(context, use, numbers) ? proven : sources).push_back(use.node);
    }
  }
  const OperatorNames carriers = {
      "Add",   "Sub",      "Mul",       "Div",     "Where",  "Min",           "Max",
      "Sum",   "Reshape",  "Unsqueeze", "Squeeze", "Expand", "Transpose",     "Identity",
      "Slice", "Gather",   "Concat",    "Tile",    "Cast",   "Flatten",       "Trilu",
      "Split", "GatherND", "Pad",       "Dropout", "Clip",   "GatherElements"};
  for (const NodeId id : NodesBetween(context, sources, carriers, IsSoftmax)) {
    RaiseNode(context, id, LabelRule::kMask,
              std::string("a fully masked row would yield NaN in ") + DtypeName(context.target));
  }
  for (const NodeId id : proven) {
    if (MayBeLow(context.labels[id])) context.labels[id].may_overflow = true;
  }
}

}  // namespace opledger
