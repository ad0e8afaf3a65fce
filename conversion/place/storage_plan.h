// --storage-only: weights in 16 bits, each behind a cast to float32, and everything computed as
// before. Of no format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "conversion/label/options.h"
#include "conversion/place/place.h"

namespace opledger {

// The rule "storage-only" in place of what decided, but for excluded nodes.
void LabelForStorage(std::vector<NodeLabel>& labels);

// Parameters of at least `options.min_elements` numbers that `rounds` accepts (none of them becomes
// infinite), that no excluded node reads, and that are no output of a graph.
Plan MakeStoragePlan(const Graph& graph, const std::vector<NodeLabel>& labels,
                     const ConvertOptions& options, const std::function<bool(ValueId)>& rounds);

// Whether the other options go with it; an error says which one does not.
bool CheckStorageOptions(const ConvertOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
