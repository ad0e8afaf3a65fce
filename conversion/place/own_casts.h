// Casts of the model's own that the plan makes useless: what they give is there without them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/place/place.h"

namespace opledger {

// Before placement. A cast of a value of the target type to float32, or of a float32 parameter to
// float32, gives nothing that its input does not hold: who needs its result low reads that input
// (ValuePlan::same_low).
void FindUpcasts(const Graph& graph, const std::vector<NodeLabel>& labels, Dtype target,
                 Plan& plan);

// After placement. A cast of a float32 value that has become low, to the target type or to float32:
// who needs its result low reads its input. A cast of one that stays float32, to the target type,
// before all who need that value low: they read its result. Then those of all these casts that
// nothing reads any more (Plan::unread_casts).
void FindUselessCasts(const Graph& graph, const std::vector<NodeLabel>& labels, Dtype target,
                      Plan& plan);

}  // namespace opledger
