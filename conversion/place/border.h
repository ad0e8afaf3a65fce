// --io-types low: the model's own inputs and outputs in 16 bits, but for those that hold numbers
// rather than features: inputs that only become integers, and what counts the turns of a loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/place/place.h"
#include "conversion/place/placement_nodes.h"

namespace opledger {

// Pins them low in the placement. Given is which ones are not, and why.
std::vector<KeptBorder> PinBorder(const Graph& graph, const PlanOptions& options,
                                  PlacementNodes& placement);

}  // namespace opledger
