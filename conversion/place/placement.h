// Which free nodes of a placement run in 16 bits, so that the cost of casts is minimal: an exact
// minimum cut. A placement node is a node of the graph, or several places that must agree (what a
// loop carries).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace opledger {

using PlacementNodeId = std::int32_t;

enum class Pin : std::uint8_t { kFree, kLow, kHigh };

struct PlacementProblem {
  // A computed value: one cast down serves all nodes that read it low, one cast up
  // all that read it high. Parameters are no tensors here: they are converted for nothing.
  struct Tensor {
    PlacementNodeId producer = 0;
    std::vector<PlacementNodeId> consumers;  // in any order, also several times
    std::uint64_t down = 1;                  // cost of casting it from float32
    std::uint64_t up = 1;                    // cost of casting it to float32
  };
  // `node` may be low only if `needs` is.
  struct Arc {
    PlacementNodeId node = 0;
    PlacementNodeId needs = 0;
  };
  std::vector<Pin> nodes;
  std::vector<Tensor> tensors;
  std::vector<Arc> arcs;
};

struct PlacementResult {
  std::vector<bool> low;   // of each node
  std::uint64_t cost = 0;  // of all casts
};

// The cheapest placement; among several the one with most nodes low, which is unique. Nodes that
// are not connected to any that is pinned low stay high, though it would cost nothing either way.
// Arcs from a node pinned low to one pinned high are a bug of the caller.
PlacementResult Place(const PlacementProblem& problem);

// The cost of a placement: what Place minimises.
std::uint64_t CostOf(const PlacementProblem& problem, const std::vector<bool>& low);

}  // namespace opledger
