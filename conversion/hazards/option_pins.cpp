// Sums the elements of each node's parameters for --min-elements, and walks downstream from all
// float32 nodes at once for --taint.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/option_pins.h"

#include "conversion/hazards/hazards.h"

namespace opledger {

void PinSmallParameters(const Graph& graph, std::uint64_t elements,
                        std::vector<NodeLabel>& labels) {
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    if (labels[id].label != Label::kLow) continue;
    bool any = false;
    std::uint64_t sum = 0;
    const std::vector<ValueId>& inputs = graph.nodes[id].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == kNone || !WouldCast(labels[id], i)) continue;
      if (!IsParameter(graph, graph.values[inputs[i]])) continue;
      const TensorId tensor = ParameterTensor(graph, graph.values[inputs[i]]);
      if (tensor == kNone) continue;
      any = true;
      if (__builtin_add_overflow(sum, graph.tensors[tensor].elements, &sum)) sum = elements;
    }
    if (!any || sum >= elements) continue;
    PinNode(labels[id], LabelRule::kMinElements,
            "its parameters have " + std::to_string(sum) + (sum == 1 ? " element" : " elements"));
  }
}

void PinByOptions(const Graph& graph, const ConvertOptions& options,
                  std::vector<NodeLabel>& labels) {
  if (options.min_elements > 0) PinSmallParameters(graph, options.min_elements, labels);
  if (options.taint) TaintDownstream(graph, labels);
}

namespace {

class Taint {
 public:
  Taint(const Graph& graph, std::vector<NodeLabel>& labels)
      : graph_(graph),
        labels_(labels),
        owners_(graph.scopes.size()),
        tainted_(graph.values.size()) {
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
      const Node& node = graph.nodes[id];
      const FunctionId called = graph.Called(node);
      if (called != kNone) owners_[graph.functions[called].body].push_back(id);
      for (const Attribute& attribute : node.attributes) {
        for (const ScopeId scope : attribute.scopes) owners_[scope].push_back(id);
      }
    }
    given_.resize(graph.values.size());
    for (std::size_t scope = 0; scope < graph.scopes.size(); ++scope) {
      for (const ValueId output : graph.scopes[scope].outputs) {
        if (output != kNone) given_[output].push_back(static_cast<ScopeId>(scope));
      }
    }
  }

  void Run() {
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
      if (labels_[id].label == Label::kFp32) AddAll(graph_.nodes[id].outputs);
    }
    while (!open_.empty()) {
      const ValueId id = open_.back();
      open_.pop_back();
      for (const Use& use : graph_.values[id].uses) Reach(use);
      // The output of an inner graph becomes an output of its node and an input of the next
      // iteration.
      for (const ScopeId scope : given_[id]) {
        for (const NodeId owner : owners_[scope]) {
          AddAll(graph_.nodes[owner].outputs);
          if (graph_.scopes[scope].function == kNone) AddAll(graph_.scopes[scope].inputs);
        }
      }
    }
  }

 private:
  void AddAll(const std::vector<ValueId>& values) {
    for (const ValueId id : values) {
      if (id == kNone || tainted_[id] || !graph_.IsFloat32(id)) continue;
      tainted_[id] = true;
      open_.push_back(id);
    }
  }

  void Reach(const Use& use) {
    const Node& node = graph_.nodes[use.node];
    NodeLabel& label = labels_[use.node];
    if (label.rule == LabelRule::kScope) {
      const FunctionId called = graph_.Called(node);
      if (called != kNone) AddAll(graph_.scopes[graph_.functions[called].body].inputs);
      for (const Attribute& attribute : node.attributes) {
        for (const ScopeId scope : attribute.scopes) AddAll(graph_.scopes[scope].inputs);
      }
      return;
    }
    if (label.label != Label::kFree && label.label != Label::kWidest) return;
    if (!WouldCast(label, static_cast<std::size_t>(use.input))) return;
    PinNode(label, LabelRule::kTaint, "it is downstream of a float32 node");
    AddAll(node.outputs);
  }

  const Graph& graph_;
  std::vector<NodeLabel>& labels_;
  std::vector<std::vector<NodeId>> owners_;  // per scope: the nodes whose body it is
  std::vector<std::vector<ScopeId>> given_;  // per value: the scopes of which it is an output
  std::vector<bool> tainted_;                // per value
  std::vector<ValueId> open_;
};

}  // namespace

void TaintDownstream(const Graph& graph, std::vector<NodeLabel>& labels) {
  Taint(graph, labels).Run();
}

}  // namespace opledger
