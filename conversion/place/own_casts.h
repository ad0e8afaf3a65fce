// Finds casts of the model itself that the plan makes redundant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/place/place.h"

namespace opledger {

// Runs before placement. A cast to float32 adds nothing to its input if that has the target type or
// is a float32 parameter, so low readers read that input (ValuePlan::same_low).
void FindUpcasts(const Graph& graph, const std::vector<NodeLabel>& labels, Dtype target,
                 Plan& plan);

// Runs after placement. If a cast's input is a float32 value that became low and the cast is to the
// target type or float32, low readers of its result read its input. If the input stays float32 and
// the cast is to the target type and before all low readers of the input, these read its result.
// Finally lists the casts that are no longer read (Plan::unread_casts).
void FindUselessCasts(const Graph& graph, const std::vector<NodeLabel>& labels, Dtype target,
                      Plan& plan);

}  // namespace opledger
