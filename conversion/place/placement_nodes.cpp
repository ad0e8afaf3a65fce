// Creates a placement node per node, then ties values shared by Loop, Scan, If and function calls.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/placement_nodes.h"

#include <algorithm>
#include <initializer_list>

#include "conversion/model/graph/mxnet_control_flow.h"
#include "conversion/place/loop_counters.h"

namespace opledger {
namespace {

class PlacementNodeMaker {
 public:
  PlacementNodeMaker(const Graph& graph, const std::vector<NodeLabel>& labels)
      : graph_(graph), labels_(labels) {
    placed_.pins.push_back(Pin::kHigh);
    placed_.producers.assign(graph.values.size(), kHighNode);
    for (const Node& node : graph.nodes) {
      placed_.inputs.emplace_back(node.inputs.size(), kHighNode);
    }
    for (const Scope& scope : graph.scopes) {
      placed_.scope_outputs.emplace_back(scope.outputs.size(), kHighNode);
    }
  }

  PlacementNodes Make() {
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) AddNode(id);
    const std::vector<LoopCounter> counters = FindLoopCounters(graph_);
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
      const Node& node = graph_.nodes[id];
      if (!node.domain.empty() || IsExcluded(id)) continue;
      if (node.op == "If") TieIf(id);
      if (const auto layout = LayoutOf(graph_, id)) TieLoop(id, *layout, counters);
      TieMxnet(id);
    }
    std::vector<std::vector<NodeId>> calls(graph_.functions.size());
    for (NodeId id = 0; !calls.empty() && id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
      const FunctionId called = graph_.Called(graph_.nodes[id]);
      if (called != kNone) calls[called].push_back(id);
    }
    for (FunctionId id = 0; id < static_cast<FunctionId>(graph_.functions.size()); ++id) {
      TieFunction(id, calls[id]);
    }
    return std::move(placed_);
  }

 private:
  // A node with a graph or a call follows the contents, unless it is excluded: then its inputs and
  // outputs are float32, as are its contents.
  bool IsExcluded(NodeId id) const { return labels_[id].label == Label::kFp32; }

  void AddNode(NodeId id) {
    const Node& node = graph_.nodes[id];
    const NodeLabel& label = labels_[id];
    const bool low = label.label == Label::kLow;
    const bool free = label.label == Label::kFree || label.label == Label::kWidest;
    const auto placed = static_cast<PlacementNodeId>(placed_.pins.size());
    placed_.nodes.push_back(placed);
    placed_.pins.push_back(low ? Pin::kLow : free ? Pin::kFree : Pin::kHigh);
    const bool cast = label.rule == LabelRule::kCast && label.label == Label::kFixed;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const bool follows = (low || free) && label.lowered.inputs[i];
      const bool any = (low || free) && label.lowered.any[i];
      // A cast to another type accepts any input type. But the second input of CastLike determines
      // the type and must not change.
      placed_.inputs[id][i] = (cast && i == 0) || any ? kNoPlacementNode
                              : follows               ? placed
                                                      : kHighNode;
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const bool follows = (low || free) && label.lowered.outputs[i];
      if (follows) placed_.producers[node.outputs[i]] = placed;
    }
  }

  // Where a value is read: an input of a node or an output of a scope.
  struct Reader {
    PlacementNodeId* placed = nullptr;
    ValueId value = kNone;
  };

  Reader InputOf(NodeId node, std::size_t position) {
    const std::vector<ValueId>& inputs = graph_.nodes[node].inputs;
    if (position >= inputs.size()) return {};
    return {&placed_.inputs[node][position], inputs[position]};
  }
  Reader OutputOf(ScopeId scope, std::size_t position) {
    const std::vector<ValueId>& outputs = graph_.scopes[scope].outputs;
    if (position >= outputs.size()) return {};
    return {&placed_.scope_outputs[scope][position], outputs[position]};
  }
  static ValueId At(const std::vector<ValueId>& values, std::size_t position) {
    return position < values.size() ? values[position] : kNone;
  }

  // Lets one placement node read all of `readers` and compute all of `values`, if all are float32
  // tensors.
  void Tie(const std::vector<Reader>& readers, const std::vector<ValueId>& values) {
    const bool all = std::all_of(readers.begin(), readers.end(),
                                 [&](const Reader& r) {
                                   return r.placed != nullptr && graph_.IsFloat32(r.value);
                                 }) &&
                     std::all_of(values.begin(), values.end(),
                                 [&](ValueId v) { return v == kNone || graph_.IsFloat32(v); });
    if (!all) return;
    const auto placed = static_cast<PlacementNodeId>(placed_.pins.size());
    placed_.pins.push_back(Pin::kFree);
    for (const Reader& reader : readers) *reader.placed = placed;
    for (const ValueId value : values) {
      if (value != kNone) placed_.producers[value] = placed;
    }
  }

  ScopeId ScopeOf(NodeId node, std::string_view attribute) const {
    const Attribute* found = graph_.nodes[node].Find(attribute);
    return found == nullptr || found->scopes.size() != 1 ? kNone : found->scopes.front();
  }

  void TieIf(NodeId id) {
    const ScopeId then_branch = ScopeOf(id, "then_branch");
    const ScopeId else_branch = ScopeOf(id, "else_branch");
    if (then_branch == kNone || else_branch == kNone) return;
    const std::vector<ValueId>& outputs = graph_.nodes[id].outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      Tie({OutputOf(then_branch, i), OutputOf(else_branch, i)}, {outputs[i]});
    }
  }

  // A counter stays float32, and so do the nodes that compute it.
  void TieLoop(NodeId id, const LoopLayout& at, const std::vector<LoopCounter>& counters) {
    const std::vector<ValueId>& inputs = graph_.scopes[at.body].inputs;
    const std::vector<ValueId>& outputs = graph_.nodes[id].outputs;
    for (std::size_t i = 0; i < at.carried; ++i) {
      const auto counter = std::find_if(
          counters.begin(), counters.end(),
          [&](const LoopCounter& each) { return each.loop == id && each.carried == i; });
      if (counter == counters.end()) {
        Tie({InputOf(id, at.node_inputs + i), OutputOf(at.body, at.body_outputs + i)},
            {At(inputs, at.body_inputs + i), At(outputs, i)});
        continue;
      }
      for (const NodeId node : counter->nodes) {
        Pin& pin = placed_.pins[placed_.nodes[node]];
        if (pin == Pin::kFree) pin = Pin::kHigh;
      }
    }
    for (std::size_t i = at.carried; i < at.carried + at.scanned; ++i) {
      Tie({InputOf(id, at.node_inputs + i)}, {At(inputs, at.body_inputs + i)});
    }
    for (std::size_t i = at.carried; i < outputs.size(); ++i) {
      Tie({OutputOf(at.body, at.body_outputs + i)}, {outputs[i]});
    }
  }

  // Ties values of MXNet's loops and branches to those in their subgraphs: each input of the node
  // to its uses inside, and to the next iteration's value if a loop carries it; each result to its
  // sources.
  void TieMxnet(NodeId id) {
    const Node& node = graph_.nodes[id];
    const std::vector<MxnetLink> links = MxnetLinks(graph_, node);
    if (links.empty()) return;
    std::vector<std::vector<ValueId>> inside(node.inputs.size());
    for (const MxnetLink& link : links) {
      inside[link.input].push_back(graph_.scopes[link.scope].inputs[link.scope_input]);
    }
    std::vector<std::vector<Reader>> readers(node.inputs.size());
    for (std::size_t i = 0; i < node.inputs.size(); ++i) readers[i] = {InputOf(id, i)};
    std::vector<int> carrier(node.outputs.size(), -1);
    for (const MxnetCarried& carried : MxnetCarriedValues(node)) {
      carrier[carried.output] = static_cast<int>(carried.input);
    }
    for (const MxnetResult& result : MxnetResults(graph_, node)) {
      std::vector<Reader> own;
      const int input = carrier[result.output];
      std::vector<Reader>& given = input < 0 ? own : readers[input];
      for (const auto& from : result.from) given.push_back(OutputOf(from.scope, from.output));
      if (input >= 0) inside[input].push_back(node.outputs[result.output]);
      if (input < 0) Tie(own, {node.outputs[result.output]});
    }
    for (std::size_t i = 0; i < node.inputs.size(); ++i) Tie(readers[i], inside[i]);
  }

  void TieFunction(FunctionId id, const std::vector<NodeId>& calls) {
    const ScopeId body = graph_.functions[id].body;
    const auto excluded = [&](NodeId call) { return IsExcluded(call); };
    if (std::any_of(calls.begin(), calls.end(), excluded)) return;
    for (std::size_t i = 0; i < graph_.scopes[body].inputs.size(); ++i) {
      std::vector<Reader> readers;
      for (const NodeId call : calls) readers.push_back(InputOf(call, i));
      if (!calls.empty()) Tie(readers, {graph_.scopes[body].inputs[i]});
    }
    for (std::size_t i = 0; i < graph_.scopes[body].outputs.size(); ++i) {
      std::vector<ValueId> values;
      for (const NodeId call : calls) values.push_back(At(graph_.nodes[call].outputs, i));
      if (!calls.empty()) Tie({OutputOf(body, i)}, values);
    }
  }

  const Graph& graph_;
  const std::vector<NodeLabel>& labels_;
  PlacementNodes placed_;
};

}  // namespace

PlacementNodes MakePlacementNodes(const Graph& graph, const std::vector<NodeLabel>& labels) {
  return PlacementNodeMaker(graph, labels).Make();
}

void TakeRounded(const Graph& graph, const std::vector<NodeLabel>& labels,
                 PlacementNodes& placement) {
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    if (placement.pins[placement.nodes[id]] == Pin::kHigh) continue;
    const std::vector<bool>& apart = labels[id].lowered.apart;
    for (std::size_t i = 0; i < apart.size(); ++i) {
      const ValueId input = graph.nodes[id].inputs[i];
      const bool rounded =
          apart[i] && input != kNone && placement.pins[placement.producers[input]] == Pin::kLow;
      if (rounded) placement.inputs[id][i] = kNoPlacementNode;
    }
  }
}

}  // namespace opledger
