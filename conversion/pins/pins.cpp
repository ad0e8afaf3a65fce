// The rules in their order, and what they share.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/pins/pins.h"

#include <algorithm>
#include <set>

namespace opledger {
namespace {

bool IsFree(const NodeLabel& label) {
  return label.label == Label::kFree || label.label == Label::kWidest;
}

using PinRule = void (*)(PinContext&);
constexpr PinRule kPinRules[] = {PinMasks,   PinOverflowing, PinAbsorbing, PinVanishing, PinScales,
                                 PinScalars, PinEpsilons,    PinSquares,   PinPositions};

}  // namespace

void PinByNumbers(PinContext& context) {
  for (const PinRule rule : kPinRules) rule(context);
}

bool MayBeLow(const NodeLabel& label) {
  return label.label == Label::kLow || label.label == Label::kFree || label.label == Label::kWidest;
}

bool WouldCast(const NodeLabel& label, std::size_t input) {
  return MayBeLow(label) && label.lowered.inputs[input];
}

void PinNode(NodeLabel& label, const char* rule, std::string reason) {
  if (!MayBeLow(label)) return;
  label.label = Label::kFp32;
  label.rule = rule;
  label.reason = std::move(reason);
  label.place = {};
}

void PinFreeReaders(PinContext& context, std::vector<NodeId> nodes, const char* rule,
                    const std::string& numbers) {
  while (!nodes.empty()) {
    const NodeId id = nodes.back();
    nodes.pop_back();
    for (const ValueId output : context.graph.nodes[id].outputs) {
      if (output == kNone) continue;
      for (const Use& use : context.graph.values[output].uses) {
        NodeLabel& label = context.labels[use.node];
        if (!IsFree(label) || !WouldCast(label, static_cast<std::size_t>(use.input))) continue;
        PinNode(label, rule, "'" + context.graph.NameOf(id) + "' gives it values " + numbers);
        nodes.push_back(use.node);
      }
    }
  }
}

bool IsOneOf(const Node& node, const OperatorNames& names) {
  return node.domain.empty() && std::find(names.begin(), names.end(), node.op) != names.end();
}

ValuesPassedOn::ValuesPassedOn(const Graph& graph) : graph_(graph), to_(graph.values.size()) {
  const auto pass = [&](const std::vector<ValueId>& from, const std::vector<ValueId>& to) {
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
      if (from[i] != kNone && to[i] != kNone) to_[from[i]].push_back(to[i]);
    }
  };
  for (const Node& node : graph.nodes) {
    if (const FunctionId function = graph.Called(node); function != kNone) {
      const Scope& body = graph.scopes[graph.functions[function].body];
      pass(node.inputs, body.inputs);
      pass(body.outputs, node.outputs);
    } else if (node.op == "If" && node.domain.empty()) {
      for (const Attribute& branch : node.attributes) {
        for (const ScopeId scope : branch.scopes) pass(graph.scopes[scope].outputs, node.outputs);
      }
    }
  }
}

std::vector<Use> ValuesPassedOn::Uses(ValueId value) const {
  std::vector<Use> uses = graph_.values[value].uses;
  if (to_[value].empty()) return uses;
  std::set<ValueId> seen = {value};
  std::vector<ValueId> open = {value};
  while (!open.empty()) {
    const ValueId from = open.back();
    open.pop_back();
    for (const ValueId to : to_[from]) {
      if (!seen.insert(to).second) continue;
      uses.insert(uses.end(), graph_.values[to].uses.begin(), graph_.values[to].uses.end());
      open.push_back(to);
    }
  }
  return uses;
}

std::vector<NodeId> NodesBetween(const PinContext& context, const std::vector<NodeId>& sources,
                                 const OperatorNames& carriers,
                                 const std::function<bool(const Node&, const Use&)>& ends) {
  const Graph& graph = context.graph;
  // Forward: where one gets to. `before` holds a node for each way into another.
  std::vector<bool> reached(graph.nodes.size());
  std::vector<std::vector<NodeId>> before(graph.nodes.size());
  std::vector<NodeId> open = sources;
  std::vector<NodeId> found;
  std::vector<bool> between(graph.nodes.size());
  for (const NodeId source : sources) reached[source] = true;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    for (const ValueId output : graph.nodes[id].outputs) {
      if (output == kNone) continue;
      for (const Use& use : context.passed_on.Uses(output)) {
        const Node& reader = graph.nodes[use.node];
        const bool end = ends(reader, use);
        const bool carrier = IsOneOf(reader, carriers);
        if (!end && !carrier) continue;
        before[use.node].push_back(id);
        if (end && !between[use.node]) found.push_back(use.node);
        if (end) between[use.node] = true;
        if (!carrier || reached[use.node]) continue;
        reached[use.node] = true;
        open.push_back(use.node);
      }
    }
  }
  // And back from the ends.
  for (std::size_t at = 0; at < found.size(); ++at) {
    for (const NodeId id : before[found[at]]) {
      if (!between[id]) found.push_back(id);
      between[id] = true;
    }
  }
  return found;
}

}  // namespace opledger
