// x * 1e5 -> float32, and so is the * 1e-5 behind it; Clip(x, 0, 3.4e38) is as good with infinity.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/pins.h"

namespace opledger {
namespace {

// A bound that overflows bounds nothing, in float32 nor as infinity.
bool IsHarmless(const Node& node, int input, const ParameterStatistics& numbers) {
  const bool above = numbers.overflows_above;
  const bool below = numbers.overflows_below;
  if (IsOneOf(node, {"Clip"})) return (input == 1 && !above) || (input == 2 && !below);
  if (IsOneOf(node, {"Min"})) return !below;
  return IsOneOf(node, {"Max"}) && !above;
}

bool IsFree(const NodeLabel& label) {
  return label.label == Label::kFree || label.label == Label::kWidest;
}

void PinReaders(PinContext& context, std::vector<NodeId> open) {
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    for (const ValueId output : context.graph.nodes[id].outputs) {
      if (output == kNone) continue;
      for (const Use& use : context.graph.values[output].uses) {
        NodeLabel& label = context.labels[use.node];
        if (!IsFree(label) || !WouldCast(label, static_cast<std::size_t>(use.input))) continue;
        PinNode(label, "weights",
                "'" + context.graph.NameOf(id) + "' gives it numbers beyond " +
                    DtypeName(context.target));
        open.push_back(use.node);
      }
    }
  }
}

}  // namespace

void PinOverflowing(PinContext& context) {
  std::vector<NodeId> pinned;
  for (std::size_t id = 0; id < context.graph.values.size(); ++id) {
    const ParameterStatistics& numbers = context.statistics[id];
    if (numbers.overflowing == 0) continue;
    const Value& value = context.graph.values[id];
    for (const Use& use : value.uses) {
      NodeLabel& label = context.labels[use.node];
      if (!WouldCast(label, static_cast<std::size_t>(use.input))) continue;
      if (IsHarmless(context.graph.nodes[use.node], use.input, numbers)) continue;
      if (label.may_overflow) continue;  // PinMasks has proven it
      PinNode(label, "weights",
              "'" + std::string(value.name) + "' has " + std::to_string(numbers.overflowing) +
                  (numbers.overflowing == 1 ? " number" : " numbers") + " beyond " +
                  DtypeName(context.target));
      pinned.push_back(use.node);
    }
  }
  PinReaders(context, std::move(pinned));
}

}  // namespace opledger
