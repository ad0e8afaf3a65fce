// x * 1e5 -> float32, and so is the * 1e-5 after it; Clip(x, 0, 3.4e38) is as good with infinity.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/pins/pins.h"

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
  PinFreeReaders(context, std::move(pinned), "weights",
                 std::string("beyond ") + DtypeName(context.target));
}

}  // namespace opledger
