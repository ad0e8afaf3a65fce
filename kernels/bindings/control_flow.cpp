// The graphs that a node holds, and what they read.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/control_flow.h"

#include <set>

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

std::vector<ValueId> CapturedValues(const Graph& graph, const Node& node) {
  std::vector<ScopeId> open;
  for (const Attribute& attribute : node.attributes) {
    open.insert(open.end(), attribute.scopes.begin(), attribute.scopes.end());
  }
  if (open.empty()) return {};
  std::set<ScopeId> inside;
  std::set<ValueId> read;
  while (!open.empty()) {
    const ScopeId scope = open.back();
    open.pop_back();
    if (!inside.insert(scope).second) continue;
    read.insert(graph.scopes[scope].outputs.begin(), graph.scopes[scope].outputs.end());
    for (const NodeId id : graph.scopes[scope].nodes) {
      read.insert(graph.nodes[id].inputs.begin(), graph.nodes[id].inputs.end());
      for (const Attribute& attribute : graph.nodes[id].attributes) {
        open.insert(open.end(), attribute.scopes.begin(), attribute.scopes.end());
      }
    }
  }
  std::vector<ValueId> captured;
  for (const ValueId value : read) {
    if (value != kNone && inside.count(graph.values[value].scope) == 0) captured.push_back(value);
  }
  return captured;
}

}  // namespace opledger
