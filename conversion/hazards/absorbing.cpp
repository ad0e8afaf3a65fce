// Finds x + 65504 - 65504, and class offsets added to boxes: adding a number this large in 16 bits
// loses x. The analysis of values does not know how large x is.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/hazards.h"

namespace opledger {
namespace {

// Returns whether the value is a large constant, or holds integers beyond those that the type
// represents exactly, such as class index * 7680.
bool IsLarge(const Range& numbers, Dtype target) {
  if (numbers.IsPoint()) {
    return numbers.Magnitude() >= static_cast<double>(MinMaskMagnitude(target));
  }
  const bool tight = numbers.IsBounded() && !numbers.loose.Any() && !numbers.nan;
  return tight && numbers.integer && numbers.Magnitude() > LargestExactInteger(target);
}

}  // namespace

void RaiseAbsorbing(HazardContext& context) {
  std::vector<NodeId> raised;
  for (std::size_t id = 0; id < context.graph.values.size(); ++id) {
    const auto value = static_cast<ValueId>(id);
    const Range& number = context.exact.Of(value).all;
    if (!context.graph.IsFloat32(value) || !IsLarge(number, context.target)) continue;
    for (const Use& use : context.graph.values[id].uses) {
      const NodeLabel& label = context.labels[use.node];
      if (!IsOneOf(context.graph.nodes[use.node], {"Add", "Sub", "Sum"}) || label.may_overflow ||
          !WouldCast(label, static_cast<std::size_t>(use.input))) {
        continue;
      }
      const std::string reason = "'" + std::string(context.graph.values[id].name) + "' is " +
                                 RangeText(number) + ", so large that " +
                                 DtypeName(context.target) + " rounds away what is added to it";
      if (RaiseNode(context, use.node, LabelRule::kAbsorbing, reason)) raised.push_back(use.node);
    }
  }
  RaiseFreeReaders(
      context, std::move(raised), LabelRule::kAbsorbing,
      std::string("whose fractions ") + DtypeName(context.target) + " cannot represent");
}

}  // namespace opledger
