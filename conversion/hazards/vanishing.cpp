// Finds x * 1e-9: the factor is zero in float16.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/hazards.h"

namespace opledger {
namespace {

// Below this, float16 has no more bits than bfloat16, which has the range of float32.
constexpr double kCoarse = 0x1p-17;

// Operators where a number that vanishes does not affect the other operands.
const OperatorNames& Adding() {
  static const OperatorNames names = {
      "Add",    "Sub",   "Sum",  "Max",     "Min",  "Clip",  "Where",       "Pad",
      "Concat", "Equal", "Less", "Greater", "Mean", "PRelu", "LessOrEqual", "GreaterOrEqual"};
  return names;
}

// Operators that only move elements. They read the raised constant, so their readers decide.
const OperatorNames& Moving() {
  static const OperatorNames names = {"Identity", "Reshape",   "Unsqueeze", "Squeeze", "Flatten",
                                      "Expand",   "Transpose", "Tile",      "Slice",   "Gather"};
  return names;
}

bool IsTiny(const Range& range) {
  return range.IsBounded() && !range.loose.Any() && !range.nan && range.Magnitude() > 0 &&
         range.Magnitude() < kCoarse;
}

// Raises the nodes that compute the value, as long as it is tiny.
void RaiseMakers(HazardContext& context, ValueId value, const std::string& reason) {
  const NodeId producer = context.graph.values[value].producer;
  if (producer == kNone || !RaiseNode(context, producer, LabelRule::kVanishing, reason)) return;
  for (const ValueId input : context.graph.nodes[producer].inputs) {
    if (input != kNone && IsTiny(context.exact.Of(input).all)) RaiseMakers(context, input, reason);
  }
}

}  // namespace

void RaiseVanishing(HazardContext& context) {
  if (context.target != Dtype::kFloat16) return;
  for (std::size_t id = 0; id < context.graph.values.size(); ++id) {
    const auto value = static_cast<ValueId>(id);
    const Range& numbers = context.exact.Of(value).all;
    if (!IsTiny(numbers) || !context.graph.IsFloat32(value)) continue;
    const std::string reason = "'" + std::string(context.graph.values[id].name) + "' is " +
                               RangeText(numbers) + ", too small for " + DtypeName(context.target);
    for (const Use& use : context.graph.values[id].uses) {
      if (!WouldCast(context.labels[use.node], static_cast<std::size_t>(use.input))) continue;
      const Node& node = context.graph.nodes[use.node];
      // The bias of a contraction may vanish, as in an Add.
      const bool bias = use.input == 2 && IsOneOf(node, {"Gemm", "Conv", "ConvTranspose"});
      if (bias || IsOneOf(node, Adding())) continue;
      if (context.raises_small && IsOneOf(node, Moving())) continue;
      RaiseNode(context, use.node, LabelRule::kVanishing, reason);
      RaiseMakers(context, value, reason);
    }
  }
}

}  // namespace opledger
