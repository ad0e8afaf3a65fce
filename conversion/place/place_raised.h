// Runs hazards, options and placement in order. With --small-constants clamp, small elements of a
// parameter are raised if a low node reads it. If a node assumed to be low is then placed in
// float32, the hazards have to be checked again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "conversion/label/options.h"
#include "conversion/place/place.h"

namespace opledger {

// Changes labels by hazards. Returns the nodes that are assumed to read raised elements.
using RaiseHazards = std::function<std::vector<NodeId>(Diagnostics& diagnostics)>;

Plan PlaceRaised(const Graph& graph, const ConvertOptions& options, const PlanOptions& plan_options,
                 const RaiseHazards& raise, std::vector<NodeLabel>& labels,
                 Diagnostics& diagnostics);

}  // namespace opledger
