// Reads the bytes of a file into a graph.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/@SNAKE@/@SNAKE@.h"

namespace opledger {

std::optional<@PASCAL@Model> Read@PASCAL@(SourceFile file, Diagnostics& diagnostics) {
  @PASCAL@Model model{std::move(file), {}};
  Graph& graph = model.graph;
  graph.scopes.emplace_back();
  graph.names.emplace_back();
  std::string_view rest = model.file.bytes();
  rest.remove_prefix(std::string_view("@NAME@\n").size());
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) {
      diagnostics.Error({.path = model.file.path()}, "the last line has no newline");
      return std::nullopt;
    }
    graph.scopes[0].nodes.push_back(static_cast<NodeId>(graph.nodes.size()));
    Node& node = graph.nodes.emplace_back();
    node.op = rest.substr(0, end);
    node.scope = 0;
    rest.remove_prefix(end + 1);
  }
  return model;
}

}  // namespace opledger
