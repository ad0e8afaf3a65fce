// Finds nodes that are excluded from conversion by name, by MXNet's own mark, or by what contains
// them. Independent of the format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/model/graph/graph.h"

namespace opledger {

// Returns for each node why it is excluded, in one line, or an empty string. Excluding a node
// excludes everything in its subgraphs and in the function it calls, at any depth. A function has
// one placement for all its calls, so one excluded call excludes it for the others. Also excludes
// nodes that contain graphs if an option or the list has their operator under 'fp32', and calls of
// a function that an option has there. List entries with the reason "structure" do not count.
std::vector<std::string> FindExcluded(const Graph& graph, const LabelOptions& options);

}  // namespace opledger
