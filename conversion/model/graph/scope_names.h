// Names of a model's graphs, for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/model/graph/graph.h"

namespace opledger {

// Of each scope: "" for the main graph, "if_1.then_branch", "loop_1.body/if_2.else_branch",
// "function own.Double".
std::vector<std::string> ScopeNames(const Graph& graph);

}  // namespace opledger
