// Creates the nodes of a placement: one per node, and one per value that several graphs share (what
// a loop carries, a branch yields, or a function takes and returns).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/place/placement.h"

namespace opledger {

inline constexpr PlacementNodeId kHighNode =
    0;  // always float32, such as the model's inputs and outputs
inline constexpr PlacementNodeId kNoPlacementNode = -1;  // accepts a value in any type

struct PlacementNodes {
  std::vector<Pin> pins;
  std::vector<PlacementNodeId> nodes;                       // per node
  std::vector<PlacementNodeId> producers;                   // per value
  std::vector<std::vector<PlacementNodeId>> inputs;         // per node: the reader of each input
  std::vector<std::vector<PlacementNodeId>> scope_outputs;  // per scope: the reader of each output
};

PlacementNodes MakePlacementNodes(const Graph& graph, const std::vector<NodeLabel>& labels);

// Reads inputs that would stay float32 by themselves without a cast if they are always low, since a
// cast would not restore precision.
void TakeRounded(const Graph& graph, const std::vector<NodeLabel>& labels,
                 PlacementNodes& placement);

}  // namespace opledger
