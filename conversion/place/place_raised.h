// Hazards, options and placement in their order. With --small-constants clamp a parameter's small
// numbers are raised where a node reads it low: what hazards presumed of a node that is then placed
// in float32 does not hold, so they look again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "conversion/label/options.h"
#include "conversion/place/place.h"

namespace opledger {

// Changes labels by hazards; returns the nodes that are presumed to read raised numbers.
using RaiseHazards = std::function<std::vector<NodeId>(Diagnostics& diagnostics)>;

Plan PlaceRaised(const Graph& graph, const ConvertOptions& options, const PlanOptions& plan_options,
                 const RaiseHazards& raise, std::vector<NodeLabel>& labels,
                 Diagnostics& diagnostics);

}  // namespace opledger
