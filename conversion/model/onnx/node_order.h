// Orders a graph's nodes so that each reads only outputs of earlier ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/model/graph/graph.h"

namespace opledger {

// Returns the nodes of a scope in an order close to that of the file. Values read by graphs inside
// a node count as read by the node. Omits nodes on a cycle and nodes that depend on them. Takes
// time proportional to the nodes, times the logarithm of how many are ready at once.
std::vector<NodeId> SortedNodes(const Graph& graph, ScopeId scope);

}  // namespace opledger
