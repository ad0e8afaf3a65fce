// --cse: finds nodes that compute what another node has computed, and casts that change nothing.
// Independent of the format, which supplies the comparison of attributes.
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
  std::vector<ValueId> kept;  // per value: the one that replaces it, often itself
  std::vector<bool> removed;  // per node
  std::uint64_t merged = 0;   // number of nodes replaced by another one
  std::uint64_t casts = 0;    // number of casts that change nothing, and casts read only by them

  bool Changes() const { return merged > 0 || casts > 0; }
};

// Returns text that is equal for nodes with equal attributes, or nullopt if the node must not be
// merged.
using AttributesText = std::function<std::optional<std::string>(NodeId node)>;

// Searches each graph together with what the enclosing graphs have computed. Does not merge nodes
// that produce a graph output, contain graphs, have no signature, are random or modify an input.
// Removes a cast if its input already has the type, or was cast from that type to one that holds
// all its values.
DuplicateNodes FindDuplicates(const Graph& graph, const Typing& typing,
                              const AttributesText& attributes);

}  // namespace opledger
