// Finds the hazards of a whole model: analyzes its values and changes its labels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/options.h"
#include "conversion/values/parameter_ranges.h"

namespace opledger {

// Returns whether --small-constants clamp raises numbers of this type. bfloat16 has the range of
// float32, so nothing significant needs raising.
bool RaisesSmall(const ConvertOptions& options, Dtype target);

// Returns the nodes that are assumed to read a parameter with elements that --small-constants clamp
// raises, which holds if they run low. `numbers` may have been computed with labels that had fewer
// float32 nodes.
std::vector<NodeId> RaiseModelHazards(const KnownNumbers& numbers, Dtype target,
                                      const ConvertOptions& options, std::vector<NodeLabel>& labels,
                                      Diagnostics& diagnostics);

}  // namespace opledger
