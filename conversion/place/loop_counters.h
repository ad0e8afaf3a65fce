// Finds values that Loop and Scan carry between iterations, and which of them are counters: each
// iteration adds the same amount. A 16-bit counter would stop, in float16 at 2048.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "conversion/model/graph/graph.h"

namespace opledger {

// Where the values begin that a body shares with its node, and how many are carried and scanned.
struct LoopLayout {
  ScopeId body = kNone;
  std::size_t node_inputs = 0;
  std::size_t body_inputs = 0;
  std::size_t body_outputs = 0;
  std::size_t carried = 0;
  std::size_t scanned = 0;
};

// Returns the layout of a Loop or a Scan, or nullopt if it is neither or malformed.
std::optional<LoopLayout> LayoutOf(const Graph& graph, NodeId id);

struct LoopCounter {
  NodeId loop = kNone;
  std::size_t carried = 0;    // index of the carried value
  std::vector<NodeId> nodes;  // nodes of the body that compute the next value of the counter
};

std::vector<LoopCounter> FindLoopCounters(const Graph& graph);

}  // namespace opledger
