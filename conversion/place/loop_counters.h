// What Loop and Scan carry from turn to turn, and what of it only counts: a number to which each
// turn adds the same. In 16 bits it would stand still, in float16 from 2048 on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "conversion/model/graph/graph.h"

namespace opledger {

// Where the values that a body shares with its node begin, and how many are carried and scanned.
struct LoopLayout {
  ScopeId body = kNone;
  std::size_t node_inputs = 0;
  std::size_t body_inputs = 0;
  std::size_t body_outputs = 0;
  std::size_t carried = 0;
  std::size_t scanned = 0;
};

// Of a Loop or a Scan; none: it is neither, or malformed.
std::optional<LoopLayout> LayoutOf(const Graph& graph, NodeId id);

struct LoopCounter {
  NodeId loop = kNone;
  std::size_t carried = 0;    // which of the values that it carries
  std::vector<NodeId> nodes;  // of the body, that make the next number of the last
};

std::vector<LoopCounter> FindLoopCounters(const Graph& graph);

}  // namespace opledger
