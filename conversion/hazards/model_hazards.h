// The hazards of a whole model: its values are analysed, and its labels changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/options.h"
#include "conversion/values/parameter_ranges.h"

namespace opledger {

// Whether --small-constants clamp raises numbers of this type: bfloat16 goes as far as float32, and
// has nothing to raise that counts.
bool RaisesSmall(const ConvertOptions& options, Dtype target);

// Returns the nodes that are taken to read a parameter of which --small-constants clamp raises
// numbers: that holds where they run low. `numbers` may be of labels of which fewer are float32.
std::vector<NodeId> RaiseModelHazards(const KnownNumbers& numbers, Dtype target,
                                      const ConvertOptions& options, std::vector<NodeLabel>& labels,
                                      Diagnostics& diagnostics);

}  // namespace opledger
