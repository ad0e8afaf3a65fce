// How MXNet names the outputs of its operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/model/graph/graph.h"

namespace opledger {

// What stands behind a node's name: "_output", "_output1", "_mean". `seen`: how many outputs the
// file speaks of.
std::string MxnetOutputSuffix(const Node& node, int output, int seen);

}  // namespace opledger
