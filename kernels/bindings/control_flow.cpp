// The pieces of a node that hold its graphs.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/control_flow.h"

namespace opledger {

ControlFlow CannotRun(std::string why) {
  ControlFlow flow;
  flow.problem = std::move(why);
  return flow;
}

ScopeId InnerScope(const Node& node, std::string_view attribute) {
  const Attribute* found = node.Find(attribute);
  return found == nullptr || found->scopes.size() != 1 ? kNone : found->scopes.front();
}

}  // namespace opledger
