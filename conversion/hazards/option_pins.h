// Keeps nodes in float32 that options name beyond the list: nodes downstream of float32 nodes, and
// nodes with small parameters. Independent of the format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/options.h"

namespace opledger {

// Applies both options if they are given. Call after all other pins.
void PinByOptions(const Graph& graph, const ConvertOptions& options,
                  std::vector<NodeLabel>& labels);

// --taint: keeps a free node in float32 if a float32 node reaches it through free nodes. Nodes that
// must be low and values that are not float32 end the path. Graphs and functions pass on what
// reaches them.
void TaintDownstream(const Graph& graph, std::vector<NodeLabel>& labels);

// --min-elements: keeps a node that must be low in float32 if its parameters together have fewer
// than `elements` elements. Ignores nodes without parameters.
void PinSmallParameters(const Graph& graph, std::uint64_t elements, std::vector<NodeLabel>& labels);

}  // namespace opledger
