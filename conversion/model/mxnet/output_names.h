// Names the outputs of MXNet's operators as MXNet does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/model/graph/graph.h"

namespace opledger {

// Returns the suffix after a node's name: "_output", "_output1", "_mean". `seen`: the number of
// outputs that the file refers to.
std::string MxnetOutputSuffix(const Node& node, int output, int seen);

}  // namespace opledger
