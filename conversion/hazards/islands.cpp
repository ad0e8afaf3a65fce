// Finds Quantize -> Dequantize -> [MatMul, Add, Gelu] -> Quantize -> Dequantize: the floats between
// quantized values are an island. Its products multiply bytes, which 16-bit floats would slow down.
// An island stays in float32 as a whole unless it also multiplies floats. Then it follows the list
// except for its products of bytes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>

#include "conversion/hazards/hazards.h"

namespace opledger {
namespace {

// Returns whether the node dequantizes integers that the model computes. Dequantized weights count
// as parameters.
bool OpensIsland(const Graph& graph, const Node& node) {
  if (node.op != "DequantizeLinear" || node.inputs.empty() || node.inputs[0] == kNone) return false;
  return !IsParameter(graph, graph.values[node.inputs[0]]);
}

// Returns whether both factors of a product are dequantized, at least one of them at run time.
bool MultipliesBytes(const Graph& graph, const Node& node) {
  if (!IsOneOf(node, {"Conv", "ConvTranspose", "Gemm", "MatMul"}) || node.inputs.size() < 2) {
    return false;
  }
  bool computed = false;
  for (std::size_t i = 0; i < 2; ++i) {
    const NodeId producer = node.inputs[i] == kNone ? kNone : graph.values[node.inputs[i]].producer;
    if (producer == kNone || graph.nodes[producer].op != "DequantizeLinear") return false;
    computed = computed || OpensIsland(graph, graph.nodes[producer]);
  }
  return computed;
}

class IslandSearch {
 public:
  explicit IslandSearch(const HazardContext& context) : context_(context), graph_(context.graph) {}

  // Returns the nodes of each island, including the quantizing nodes at its ends.
  std::vector<std::vector<NodeId>> Find() {
    const std::vector<bool> after = Reach(true);
    const std::vector<bool> before = Reach(false);
    between_.resize(graph_.nodes.size());
    for (std::size_t id = 0; id < between_.size(); ++id) between_[id] = after[id] && before[id];
    std::vector<std::vector<NodeId>> islands;
    for (std::size_t id = 0; id < between_.size(); ++id) {
      if (between_[id]) islands.push_back(TakeIsland(static_cast<NodeId>(id)));
    }
    return islands;
  }

 private:
  bool IsActivation(ValueId value) const {
    return graph_.IsFloat32(value) && !IsParameter(graph_, graph_.values[value]);
  }

  template <typename Use>
  void ForEachReader(const Node& node, const Use& use) const {
    for (const ValueId value : node.outputs) {
      if (!IsActivation(value)) continue;
      for (const auto& reader : context_.passed_on.Uses(value)) use(reader.node);
    }
  }

  // Calls `use` for the producers of the node's inputs, through all names of these inputs.
  template <typename Use>
  void ForEachGiver(const Node& node, const Use& use) const {
    for (const ValueId input : node.inputs) {
      if (!IsActivation(input)) continue;
      std::vector<ValueId> values = {input};
      for (std::size_t at = 0; at < values.size(); ++at) {
        if (graph_.values[values[at]].producer != kNone) use(graph_.values[values[at]].producer);
        for (const ValueId source : context_.passed_on.SourcesOf(values[at])) {
          if (std::find(values.begin(), values.end(), source) == values.end()) {
            values.push_back(source);
          }
        }
      }
    }
  }

  // Returns the nodes that float32 values reach from nodes that open islands (forward), or that
  // reach nodes that close them (backward). Includes both ends.
  std::vector<bool> Reach(bool forward) const {
    std::vector<bool> reached(graph_.nodes.size());
    std::deque<NodeId> open;
    const auto add = [&](NodeId id) {
      if (reached[id]) return;
      reached[id] = true;
      open.push_back(id);
    };
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
      const Node& node = graph_.nodes[id];
      if (forward ? OpensIsland(graph_, node) : node.op == "QuantizeLinear") add(id);
    }
    while (!open.empty()) {
      const Node& node = graph_.nodes[open.front()];
      open.pop_front();
      forward ? ForEachReader(node, add) : ForEachGiver(node, add);
    }
    return reached;
  }

  // Removes and returns the nodes connected with `id`.
  std::vector<NodeId> TakeIsland(NodeId id) {
    std::vector<NodeId> nodes;
    const auto add = [&](NodeId other) {
      if (!between_[other]) return;
      between_[other] = false;
      nodes.push_back(other);
    };
    add(id);
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      ForEachReader(graph_.nodes[nodes[at]], add);
      ForEachGiver(graph_.nodes[nodes[at]], add);
    }
    return nodes;
  }

  const HazardContext& context_;
  const Graph& graph_;
  std::vector<bool> between_;  // per node: between the ends of an island, and not yet in `islands`
};

}  // namespace

void RaiseIslands(HazardContext& context) {
  const Graph& graph = context.graph;
  for (const std::vector<NodeId>& island : IslandSearch(context).Find()) {
    const bool multiplies_floats = std::any_of(island.begin(), island.end(), [&](NodeId id) {
      return context.labels[id].label == Label::kLow && !MultipliesBytes(graph, graph.nodes[id]);
    });
    if (multiplies_floats) continue;
    for (const NodeId id : island) {
      RaiseNode(context, id, LabelRule::kQuantizedIsland, "it computes between quantized values");
    }
  }
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    if (!MultipliesBytes(graph, graph.nodes[id])) continue;
    RaiseNode(context, id, LabelRule::kQuantizedIsland,
              "both its factors are dequantized, so it multiplies bytes");
  }
}

}  // namespace opledger
