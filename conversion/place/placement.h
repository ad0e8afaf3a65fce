// Decides which free nodes of a placement run in 16 bits so that the cost of casts is minimal, by
// an exact minimum cut. A placement node is a node of the graph, or several places that must have
// the same type, such as the values that a loop carries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace opledger {

using PlacementNodeId = std::int32_t;

enum class Pin : std::uint8_t { kFree, kLow, kHigh };

struct PlacementProblem {
  // A computed value. One cast down serves all low readers, one cast up all float32 readers.
  // Parameters are not tensors, since their conversion costs nothing.
  struct Tensor {
    PlacementNodeId producer = 0;
    std::vector<PlacementNodeId> consumers;  // in any order, may repeat
    std::uint64_t down = 1;                  // of casting it from float32
    std::uint64_t up = 1;                    // of casting it to float32
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
  std::vector<bool> low;   // per node
  std::uint64_t cost = 0;  // of all casts
};

// Returns the cheapest placement, and of several the one with the most low nodes, which is unique.
// Nodes not connected to a node pinned low stay high, although low would cost the same. The caller
// must not pass arcs from a node pinned low to one pinned high.
PlacementResult Place(const PlacementProblem& problem);

// Returns the cost of a placement, which Place minimizes.
std::uint64_t CostOf(const PlacementProblem& problem, const std::vector<bool>& low);

}  // namespace opledger
