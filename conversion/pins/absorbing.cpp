// x + 65504 - 65504 -> float32: in between, nothing would be left of x.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/pins/pins.h"

namespace opledger {

void PinAbsorbing(PinContext& context) {
  std::vector<NodeId> pinned;
  for (std::size_t id = 0; id < context.graph.values.size(); ++id) {
    const ParameterStatistics& numbers = context.statistics[id];
    if (numbers.count != 1 || numbers.max_magnitude < MinMaskMagnitude(context.target)) continue;
    for (const Use& use : context.graph.values[id].uses) {
      NodeLabel& label = context.labels[use.node];
      if (!IsOneOf(context.graph.nodes[use.node], {"Add", "Sub", "Sum"}) || label.may_overflow ||
          !WouldCast(label, static_cast<std::size_t>(use.input))) {
        continue;
      }
      PinNode(label, "absorbing",
              "'" + std::string(context.graph.values[id].name) +
                  "' is so large that nothing remains in " + DtypeName(context.target) +
                  " of what is added to it");
      pinned.push_back(use.node);
    }
  }
  PinFreeReaders(context, std::move(pinned), "absorbing",
                 std::string("that ") + DtypeName(context.target) + " has no fractions of");
}

}  // namespace opledger
