// Lists the hazards in order, and implements what they share.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/hazards.h"

#include <algorithm>
#include <set>

#include "conversion/label/settings.h"

namespace opledger {
namespace {

bool IsFree(const NodeLabel& label) {
  return label.label == Label::kFree || label.label == Label::kWidest;
}

using Hazard = void (*)(HazardContext&);
constexpr Hazard kHazards[] = {RaiseMasks,    RaiseAbsorbing,    RaiseScales,      RaiseScalars,
                               RaiseSquares,  RaiseCancellation, RaiseNarrow,      RaiseVanishing,
                               RaiseDivisors, RaiseSums,         RaiseComplements, RaiseLostBounds,
                               RaiseInexact};

// "share/opledger/lists/onnx/float16.json:12". Empty if no list decided.
std::string EntryText(const NodeLabel& label) {
  if (label.place.path.empty()) return {};
  return PortablePath(label.place.path) + ":" + std::to_string(label.place.line);
}

}  // namespace

void RaiseByHazards(HazardContext& context) {
  context.exact.Run();
  if (context.raises_small) context.unraised.Run();
  for (const Hazard hazard : kHazards) hazard(context);
}

bool WouldCast(const NodeLabel& label, std::size_t input) {
  return MayBeLow(label) && label.lowered.inputs[input];
}

void PinNode(NodeLabel& label, LabelRule rule, std::string reason) {
  if (!MayBeLow(label)) return;
  label.label = Label::kFp32;
  label.rule = rule;
  label.reason = std::move(reason);
  label.place = {};
}

bool RaiseNode(HazardContext& context, NodeId node, LabelRule rule, const std::string& reason) {
  NodeLabel& label = context.labels[node];
  if (!MayBeLow(label)) return false;
  // A policy per node comes from tuning on samples. These prove the node harmless, except for an
  // overflow that they may not have reached.
  const bool shown = rule != LabelRule::kOverflow && rule != LabelRule::kMask;
  if (label.rule == LabelRule::kNode && shown) return false;
  if (label.rule == LabelRule::kOption && label.label == Label::kLow) {
    context.obeyed.emplace_back(node, reason);
    return false;
  }
  const std::string entry = label.label == Label::kLow ? EntryText(label) : std::string();
  PinNode(label, rule, entry.empty() ? reason : reason + "; it overrides " + entry);
  ++context.raised;
  return true;
}

void RaiseFreeReaders(HazardContext& context, std::vector<NodeId> nodes, LabelRule rule,
                      const std::string& numbers) {
  while (!nodes.empty()) {
    const NodeId id = nodes.back();
    nodes.pop_back();
    for (const ValueId output : context.graph.nodes[id].outputs) {
      if (output == kNone) continue;
      for (const Use& use : context.graph.values[output].uses) {
        NodeLabel& label = context.labels[use.node];
        if (!IsFree(label) || !WouldCast(label, static_cast<std::size_t>(use.input))) continue;
        const bool raised =
            RaiseNode(context, use.node, rule,
                      "'" + context.graph.NameOf(id) + "' passes it values " + numbers);
        if (raised) nodes.push_back(use.node);
      }
    }
  }
}

bool IsOneOf(const Node& node, const OperatorNames& names) {
  return node.domain.empty() && std::find(names.begin(), names.end(), node.op) != names.end();
}

void ValuesPassedOn::Pass(const std::vector<ValueId>& from, std::size_t first,
                          const std::vector<ValueId>& to, std::size_t first_to) {
  for (std::size_t i = 0; first + i < from.size() && first_to + i < to.size(); ++i) {
    const ValueId source = from[first + i];
    const ValueId target = to[first_to + i];
    if (source == kNone || target == kNone) continue;
    to_[source].push_back(target);
    from_[target].push_back(source);
  }
}

ValuesPassedOn::ValuesPassedOn(const Graph& graph)
    : graph_(graph), to_(graph.values.size()), from_(graph.values.size()) {
  for (const Node& node : graph.nodes) {
    if (const FunctionId function = graph.Called(node); function != kNone) {
      const Scope& body = graph.scopes[graph.functions[function].body];
      Pass(node.inputs, 0, body.inputs, 0);
      Pass(body.outputs, 0, node.outputs, 0);
      continue;
    }
    if (!node.domain.empty()) continue;
    for (const Attribute& attribute : node.attributes) {
      for (const ScopeId id : attribute.scopes) {
        const Scope& scope = graph.scopes[id];
        if (node.op == "If") Pass(scope.outputs, 0, node.outputs, 0);
        if (node.op != "Loop") continue;
        Pass(node.inputs, 2, scope.inputs, 2);
        Pass(scope.outputs, 1, scope.inputs, 2);
        Pass(scope.outputs, 1, node.outputs, 0);
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

std::vector<NodeId> NodesBetween(const HazardContext& context, const std::vector<NodeId>& sources,
                                 const OperatorNames& carriers,
                                 const std::function<bool(const Node&, const Use&)>& ends) {
  const Graph& graph = context.graph;
  // Forward: find the nodes that can be reached. `before` holds their predecessors.
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
  // Backward: collect the predecessors of the ends.
  for (std::size_t at = 0; at < found.size(); ++at) {
    for (const NodeId id : before[found[at]]) {
      if (!between[id]) found.push_back(id);
      between[id] = true;
    }
  }
  return found;
}

}  // namespace opledger
