// An order of a graph's nodes in which each reads only what earlier ones compute.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/model/graph/graph.h"

namespace opledger {

// The nodes of a scope, as near to their order in the file as can be; what the graphs in a node
// read counts as read by it. Those on a cycle, and what needs them, are missing. Time grows with
// the nodes, and with the logarithm of how many are ready at once.
std::vector<NodeId> SortedNodes(const Graph& graph, ScopeId scope);

}  // namespace opledger
