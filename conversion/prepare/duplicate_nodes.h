// --cse: nodes that compute what another one has computed, and casts that change nothing. Of no
// format; what two nodes' attributes are is for the formats to say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "conversion/model/graph/types.h"

namespace opledger {

struct DuplicateNodes {
  std::vector<ValueId> kept;  // of each value: the one that stands for it, often itself
  std::vector<bool> removed;  // of each node
  std::uint64_t merged = 0;   // nodes that another one stands for
  std::uint64_t casts = 0;    // casts that change nothing, and those only they read

  bool Changes() const { return merged > 0 || casts > 0; }
};

// The attributes of a node as a text that is the same for nodes that mean the same; none: the node
// is not to be merged.
using AttributesText = std::function<std::optional<std::string>(NodeId node)>;

// Within each graph, and with what the graphs around it computed before. Not merged are nodes whose
// outputs are a graph's, that hold graphs, that are of an operator without a signature, whose
// result is random or that write to an input. A cast goes where its input has its type, or was cast
// from it to one that holds each of its values.
DuplicateNodes FindDuplicates(const Graph& graph, const Typing& typing,
                              const AttributesText& attributes);

}  // namespace opledger
