// Reads MXNet's control flow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/bindings/control_flow.h"

namespace opledger {

// Returns nullopt if the node has no inner graphs.
std::optional<ControlFlow> ReadMxnetControlFlow(const Graph& graph, const Node& node);

}  // namespace opledger
