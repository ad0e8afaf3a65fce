// Which nodes are excluded from conversion: by name, by MXNet's own mark, and by what holds them.
// Of no format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/model/graph/graph.h"

namespace opledger {

// Of each node why it is excluded, one line; empty: it is not. With a node goes all that is inside
// of its subgraphs and of the function it calls, at any depth: a function has one placement for all
// its calls, so one excluded call keeps it as it is for the others too. Also excluded are nodes
// that hold graphs and whose operator an option or the list has under 'fp32', and calls of a
// function that an option has there. An entry of the list with the reason "structure" does not
// count.
std::vector<std::string> FindExcluded(const Graph& graph, const LabelOptions& options);

}  // namespace opledger
