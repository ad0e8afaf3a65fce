// What options keep in float32 beyond the list: what is downstream of float32 nodes, and small
// parameters. Of no format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/options.h"

namespace opledger {

// Both, as the options have it; after all other pins.
void PinByOptions(const Graph& graph, const ConvertOptions& options,
                  std::vector<NodeLabel>& labels);

// --taint: a free node that any float32 node reaches over free ones stays float32. What must be
// low ends the way, as do values that are no float32; graphs and functions pass on whatever
// reaches them.
void TaintDownstream(const Graph& graph, std::vector<NodeLabel>& labels);

// --min-elements: a node that must be low stays float32 where it reads parameters and they have
// together fewer than `elements` numbers. Nodes without parameters are none of its business.
void PinSmallParameters(const Graph& graph, std::uint64_t elements, std::vector<NodeLabel>& labels);

}  // namespace opledger
