// What the readings of control flow have in common, whatever the framework.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernels/control_flow/control_flow.h"

namespace opledger {

// Control flow that cannot be run, and why.
ControlFlow CannotRun(std::string why);
// The one graph that an attribute of a node holds; kNone: there is no such attribute.
ScopeId InnerScope(const Node& node, std::string_view attribute);

}  // namespace opledger
