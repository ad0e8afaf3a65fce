// Explains why a node runs in its type, and what would make it run in another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/place/place.h"

namespace opledger {

class PlacementReasons {
 public:
  PlacementReasons(const Graph& graph, const std::vector<NodeLabel>& labels, const Plan& plan,
                   std::string target);

  // Returns how many more casts the model would have if only this free node switched type.
  int ExtraCasts(NodeId id) const;
  // Says why a free node was placed low or high.
  std::string Text(NodeId id) const;
  // Returns what a user can change for another result. Empty if nothing would help.
  std::vector<std::string> Alternatives(NodeId id, int extra_casts) const;

 private:
  struct Readers {
    int low = 0;
    int high = 0;
  };
  int Moved(ValueId value, bool low, int readers) const;
  ValueId HighInput(NodeId id) const;
  void CountNeighbours(NodeId id, int& low, int& high) const;

  const Graph& graph_;
  const std::vector<NodeLabel>& labels_;
  const Plan& plan_;
  std::string target_;
  std::vector<Readers> readers_;  // per value
};

}  // namespace opledger
