// Div(x, Cast(Size(w))): how many numbers there are may be more than float16 holds.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/pins/counts.h"

#include <algorithm>
#include <set>

namespace opledger {
namespace {

constexpr std::int64_t kLargestCount = 65504;  // of float16

// Operators that give whole numbers made of those they take.
const OperatorNames& Counting() {
  static const OperatorNames names = {
      "Abs",       "Add",        "Cast",      "Concat",   "Div",   "Expand", "Flatten",
      "Gather",    "Identity",   "Max",       "Min",      "Mul",   "Neg",    "ReduceMax",
      "ReduceMin", "ReduceProd", "ReduceSum", "Reshape",  "Slice", "Split",  "Squeeze",
      "Sub",       "Sum",        "Transpose", "Unsqueeze"};
  return names;
}

// Whether a value is made of the sizes of tensors.
bool IsCount(const Graph& graph, ValueId value) {
  std::set<ValueId> seen = {value};
  std::vector<ValueId> open = {value};
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    if (graph.values[id].producer == kNone) continue;
    const Node& node = graph.nodes[graph.values[id].producer];
    if (IsOneOf(node, {"Size", "Shape"})) return true;
    if (!IsOneOf(node, Counting())) continue;
    for (const ValueId input : node.inputs) {
      if (input != kNone && seen.insert(input).second) open.push_back(input);
    }
  }
  return false;
}

}  // namespace

bool PinCounts(const OnnxModel& model, const std::map<std::string, Shape>& inputs,
               PinContext& context, Diagnostics& diagnostics) {
  if (context.target != Dtype::kFloat16) return true;  // bfloat16 goes as far as float32
  const Graph& graph = context.graph;
  std::optional<Shapes> shapes;
  std::vector<NodeId> pinned;
  for (const Node& node : graph.nodes) {
    if (!IsOneOf(node, {"Cast"}) || node.inputs.empty() || node.inputs[0] == kNone) continue;
    const ValueId cast = node.outputs.empty() ? kNone : node.outputs[0];
    if (!graph.IsFloat32(cast) || !IsParameter(graph, graph.values[cast])) continue;
    if (!IsCount(graph, node.inputs[0])) continue;
    if (!shapes && !(shapes = InferShapes(model, inputs, diagnostics))) return false;
    const auto known = shapes->integers.find(node.inputs[0]);
    const bool small = known != shapes->integers.end() &&
                       std::all_of(known->second.begin(), known->second.end(), [](auto each) {
                         return each >= -kLargestCount && each <= kLargestCount;
                       });
    if (small) continue;
    for (const Use& use : graph.values[cast].uses) {
      NodeLabel& label = context.labels[use.node];
      if (!WouldCast(label, static_cast<std::size_t>(use.input))) continue;
      PinNode(
          label, "counts",
          "'" + std::string(graph.values[cast].name) + "' is a size, which may be beyond float16");
      pinned.push_back(use.node);
    }
  }
  PinFreeReaders(context, std::move(pinned), "counts", "that a size may take beyond float16");
  return true;
}

}  // namespace opledger
