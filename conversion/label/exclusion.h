// Which nodes are excluded from conversion: by name, by MXNet's own mark, and by what holds them.
// Of no format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "registry/text/name_patterns.h"

namespace opledger {

// Of each node why it is excluded, one line; empty: it is not. With a node goes all that is inside
// of its subgraphs and of the function it calls, at any depth: a function has one placement for all
// its calls, so one excluded call keeps it as it is for the others too. `patterns` may be nullptr,
// and so may `names`, those of single nodes that a list keeps in float32.
std::vector<std::string> FindExcluded(const Graph& graph, const NamePatterns* patterns,
                                      const std::vector<std::string>* names = nullptr);

}  // namespace opledger
