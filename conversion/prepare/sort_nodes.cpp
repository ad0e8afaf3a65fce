// Writes the bytes of each node at its sorted position.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/sort_nodes.h"

#include <algorithm>
#include <set>

#include "conversion/model/onnx/message_edits.h"

namespace opledger {

EditList SortNodes(const OnnxModel& model) {
  const Graph& graph = model.graph;
  const std::set<ScopeId> unsorted(model.unsorted.begin(), model.unsorted.end());
  const auto lies_in_another = [&](ScopeId scope) {
    for (scope = graph.scopes[scope].parent; scope != kNone; scope = graph.scopes[scope].parent) {
      if (unsorted.contains(scope)) return true;
    }
    return false;
  };
  MessageEdits edits(model.places.messages);
  for (const ScopeId scope : unsorted) {
    if (lies_in_another(scope)) continue;
    const std::vector<NodeId>& sorted = graph.scopes[scope].nodes;
    std::vector<NodeId> nodes = sorted;  // in file order, which is also the order of their ids
    std::sort(nodes.begin(), nodes.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] == nodes[i]) continue;
      const MessageSpan& place = model.places.messages[model.places.nodes[nodes[i]]];
      const Span from = model.places.messages[model.places.nodes[sorted[i]]].whole;
      edits.Replace(place.parent, place.whole,
                    {std::string(model.file.bytes().substr(from.begin, from.size())), 0, {}});
    }
  }
  return edits.Finish();
}

}  // namespace opledger
