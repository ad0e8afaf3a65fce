// Why a node runs in the type it does, and what would have to change for it to run in another.
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

  // How many casts more the model would have, were this free node alone placed otherwise.
  int ExtraCasts(NodeId id) const;
  // Of a free node: why it was placed low or high.
  std::string Text(NodeId id) const;
  // What a user would change for another result; empty: nothing would.
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
  std::vector<Readers> readers_;  // of each value
};

}  // namespace opledger
