// The nodes of a placement: every node one, and one for each value that several graphs hold in
// common - what a loop carries, what a branch yields, what a function takes and gives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/place/placement.h"

namespace opledger {

inline constexpr PlacementNodeId kHighNode =
    0;  // what stays float32: the model's inputs and outputs, ...
inline constexpr PlacementNodeId kNoPlacementNode = -1;  // takes a value in whichever type there is

struct PlacementNodes {
  std::vector<Pin> pins;
  std::vector<PlacementNodeId> nodes;                       // of each node
  std::vector<PlacementNodeId> producers;                   // of each value
  std::vector<std::vector<PlacementNodeId>> inputs;         // who reads each input of each node
  std::vector<std::vector<PlacementNodeId>> scope_outputs;  // who reads each output of each scope
};

PlacementNodes MakePlacementNodes(const Graph& graph, const std::vector<NodeLabel>& labels);

// Inputs that would stay float32 by themselves, but are low whatever else is: they are taken as
// they are, since a cast would give nothing back.
void TakeRounded(const Graph& graph, const std::vector<NodeLabel>& labels,
                 PlacementNodes& placement);

}  // namespace opledger
