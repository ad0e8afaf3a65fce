// Uses Kahn's algorithm. Among the nodes that are ready, picks the first in the file.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/onnx/node_order.h"

#include <functional>
#include <queue>
#include <unordered_map>

namespace opledger {
namespace {

class Sorting {
 public:
  Sorting(const Graph& graph, ScopeId scope)
      : graph_(graph),
        scope_(scope),
        nodes_(graph.scopes[scope].nodes),
        readers_(nodes_.size()),
        waits_for_(nodes_.size(), 0) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) positions_[nodes_[i]] = i;
    for (std::size_t i = 0; i < nodes_.size(); ++i) AddReads(i);
  }

  std::vector<NodeId> Run() {
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (waits_for_[i] == 0) ready.push(i);
    }
    std::vector<NodeId> sorted;
    while (!ready.empty()) {
      const std::size_t next = ready.top();
      ready.pop();
      sorted.push_back(nodes_[next]);
      for (const std::size_t reader : readers_[next]) {
        if (--waits_for_[reader] == 0) ready.push(reader);
      }
    }
    return sorted;
  }

 private:
  void AddReads(std::size_t position) {
    std::vector<NodeId> nodes{nodes_[position]};
    while (!nodes.empty()) {
      const Node& node = graph_.nodes[nodes.back()];
      nodes.pop_back();
      for (const ValueId value : node.inputs) AddRead(value, position);
      for (const Attribute& attribute : node.attributes) {
        for (const ScopeId inner : attribute.scopes) {
          const Scope& scope = graph_.scopes[inner];
          nodes.insert(nodes.end(), scope.nodes.begin(), scope.nodes.end());
          for (const ValueId value : scope.outputs) AddRead(value, position);
        }
      }
    }
  }

  void AddRead(ValueId id, std::size_t position) {
    if (id == kNone) return;
    const Value& value = graph_.values[id];
    if (value.producer == kNone || value.scope != scope_) return;
    readers_[positions_.at(value.producer)].push_back(position);
    ++waits_for_[position];
  }

  const Graph& graph_;
  ScopeId scope_;
  const std::vector<NodeId>& nodes_;
  std::unordered_map<NodeId, std::size_t> positions_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<std::size_t> waits_for_;
};

}  // namespace

std::vector<NodeId> SortedNodes(const Graph& graph, ScopeId scope) {
  return Sorting(graph, scope).Run();
}

}  // namespace opledger
