// A graph in an attribute is named by its node and the attribute.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/graph/scope_names.h"

namespace opledger {

std::vector<std::string> ScopeNames(const Graph& graph) {
  std::vector<std::string> names(graph.scopes.size());
  for (const Function& function : graph.functions) {
    names[function.body] = "function " + QualifiedName(function.domain, function.name);
  }
  // Nodes come in the order of the file, in which a scope's own node stands before those in it.
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    const Node& node = graph.nodes[id];
    for (const Attribute& attribute : node.attributes) {
      for (std::size_t i = 0; i < attribute.scopes.size(); ++i) {
        std::string name = names[node.scope];
        if (!name.empty()) name += '/';
        name += graph.NameOf(id) + "." + std::string(attribute.name);
        if (attribute.scopes.size() > 1) name += "[" + std::to_string(i) + "]";
        names[attribute.scopes[i]] = std::move(name);
      }
    }
  }
  return names;
}

}  // namespace opledger
