// Looking things up in a graph.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/graph/graph.h"

namespace opledger {

const Attribute* Node::Find(std::string_view attribute) const {
  for (const Attribute& each : attributes) {
    if (each.name == attribute) return &each;
  }
  return nullptr;
}

std::string QualifiedName(std::string_view domain, std::string_view op) {
  std::string name(domain);
  if (!name.empty()) name += '.';
  return name.append(op);
}

std::string Graph::NameOf(NodeId id) const {
  const Node& node = nodes[id];
  if (!node.name.empty()) return std::string(node.name);
  for (const ValueId output : node.outputs) {
    if (output != kNone) return std::string(values[output].name);
  }
  return {};
}

FunctionId Graph::Called(const Node& node) const {
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].name == node.op && functions[i].domain == node.domain) {
      return static_cast<FunctionId>(i);
    }
  }
  return kNone;
}

const std::map<std::string_view, std::int64_t>& Graph::OpsetsIn(ScopeId scope) const {
  while (scopes[scope].function == kNone && scopes[scope].parent != kNone) {
    scope = scopes[scope].parent;
  }
  const FunctionId function = scopes[scope].function;
  return function == kNone ? opsets : functions[function].opsets;
}

ValueId Graph::Find(ScopeId scope, std::string_view name) const {
  for (; scope != kNone; scope = scopes[scope].parent) {
    const auto found = names[scope].find(name);
    if (found != names[scope].end()) return found->second;
  }
  return kNone;
}

}  // namespace opledger
