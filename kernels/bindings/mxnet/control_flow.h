// MXNet's control flow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/bindings/control_flow.h"

namespace opledger {

// None: the node runs no graphs of its own.
std::optional<ControlFlow> ReadMxnetControlFlow(const Graph& graph, const Node& node);

}  // namespace opledger
