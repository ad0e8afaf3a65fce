// sqrt(variance + 1e-12) -> float32 up to the division: in float16 it would be by zero.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "conversion/pins/pins.h"

namespace opledger {
namespace {

constexpr float kSmallestNormal = 0x1p-14F;  // of float16; bfloat16 has float32's

bool NeedsMore(const Node& node, const Use& use) {
  return IsOneOf(node, {"Reciprocal", "Log", "Sqrt", "Pow"}) ||
         (use.input == 1 && IsOneOf(node, {"Div"}));
}

// Before opset 11 a Clip has its bounds as attributes.
bool HasSmallBound(const Node& node) {
  if (!IsOneOf(node, {"Clip"})) return false;
  for (const char* name : {"min", "max"}) {
    const Attribute* bound = node.Find(name);
    if (bound != nullptr && bound->number != 0 && std::abs(bound->number) < kSmallestNormal) {
      return true;
    }
  }
  return false;
}

}  // namespace

void PinEpsilons(PinContext& context) {
  if (context.target != Dtype::kFloat16) return;
  std::vector<NodeId> sources;
  for (std::size_t id = 0; id < context.graph.values.size(); ++id) {
    const ParameterStatistics& numbers = context.statistics[id];
    if (numbers.max_magnitude == 0 || numbers.max_magnitude >= kSmallestNormal) continue;
    for (const Use& use : context.passed_on.Uses(static_cast<ValueId>(id))) {
      const Node& node = context.graph.nodes[use.node];
      if (IsOneOf(node, {"Add", "Sum", "Mean", "Max", "Clip", "Where", "Gemm"}))
        sources.push_back(use.node);
    }
  }
  for (std::size_t id = 0; id < context.graph.nodes.size(); ++id) {
    if (HasSmallBound(context.graph.nodes[id])) sources.push_back(static_cast<NodeId>(id));
  }
  // What may leave a small number small, and not zero.
  const OperatorNames carriers = {"Sqrt",        "Mul",           "Add",
                                  "Max",         "Clip",          "Reshape",
                                  "Unsqueeze",   "Squeeze",       "Expand",
                                  "Transpose",   "Pow",           "Identity",
                                  "Reciprocal",  "Abs",           "Relu",
                                  "LeakyRelu",   "Tanh",          "Neg",
                                  "Sub",         "Sum",           "Mean",
                                  "Min",         "Where",         "Flatten",
                                  "Slice",       "Tile",          "Concat",
                                  "Split",       "Gather",        "ReduceMax",
                                  "ReduceMin",   "ReduceMean",    "ReduceSum",
                                  "ReduceL1",    "ReduceL2",      "MaxPool",
                                  "AveragePool", "GlobalMaxPool", "GlobalAveragePool"};
  for (const NodeId id : NodesBetween(context, sources, carriers, NeedsMore)) {
    if (context.labels[id].rule == kByNode) continue;
    PinNode(context.labels[id], "epsilon",
            std::string("the small number that prevents a division by zero is too small for ") +
                DtypeName(context.target));
  }
}

}  // namespace opledger
