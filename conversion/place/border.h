// --io-types low: makes the model's inputs and outputs 16-bit. Exceptions hold integers rather than
// features: inputs that are only converted to integers, and loop counters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/place/place.h"
#include "conversion/place/placement_nodes.h"

namespace opledger {

// Pins inputs and outputs low in the placement. Returns those that keep float32, and why.
std::vector<KeptBorder> PinBorder(const Graph& graph, const PlanOptions& options,
                                  PlacementNodes& placement);

}  // namespace opledger
