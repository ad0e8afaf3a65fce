// Finds sqrt(1 + 1e-4 * x) - 1: x changes the square root by less than the distance between
// adjacent 16-bit values near 1.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "conversion/hazards/hazards.h"

namespace opledger {
namespace {

// Returns the relative distance between adjacent numbers of the type.
double Spacing(Dtype target) { return target == Dtype::kFloat16 ? 0x1p-10 : 0x1p-7; }

bool IsNarrow(const Range& range, Dtype target) {
  const bool tight = range.IsBounded() && !range.loose.Any() && range.high > range.low;
  const double nearest = std::min(std::abs(range.low), std::abs(range.high));
  const bool one_sign = range.low > 0 || range.high < 0;
  constexpr double kPlaces = 8;
  return tight && one_sign && range.high - range.low < kPlaces * Spacing(target) * nearest;
}

}  // namespace

void RaiseNarrow(HazardContext& context) {
  for (ValueId id = 0; id < static_cast<ValueId>(context.graph.values.size()); ++id) {
    const TensorRange& range = context.exact.Of(id);
    const Value& value = context.graph.values[id];
    const bool computed = value.producer != kNone && context.graph.IsFloat32(id);
    if (!computed || range.elements != nullptr || !IsNarrow(range.all, context.target)) continue;
    const std::string reason = "'" + std::string(value.name) + "' is " + RangeText(range.all) +
                               ", where " + DtypeName(context.target) + " has few distinct values";
    RaiseNode(context, value.producer, LabelRule::kNarrow, reason);
    for (const Use& use : value.uses) {
      if (!WouldCast(context.labels[use.node], static_cast<std::size_t>(use.input))) continue;
      RaiseNode(context, use.node, LabelRule::kNarrow, reason);
    }
  }
}

}  // namespace opledger
