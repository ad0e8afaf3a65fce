// A cast whose result is an output of a graph stays. A cast that changes nothing is placed like
// other nodes; it then becomes a cast to float32 if its result is read in float32, or is removed.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/own_casts.h"

#include <algorithm>

namespace opledger {
namespace {

struct OwnCast {
  NodeId node = kNone;
  ValueId from = kNone;
  ValueId to = kNone;
  bool given = false;  // its result is an output of a graph
};

// Returns all casts that are not excluded.
std::vector<OwnCast> OwnCasts(const Graph& graph, const std::vector<NodeLabel>& labels) {
  std::vector<OwnCast> casts;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    const Node& node = graph.nodes[id];
    const bool plain = labels[id].rule == LabelRule::kCast && node.op == "Cast" &&
                       node.inputs.size() == 1 && node.inputs[0] != kNone &&
                       node.outputs.size() == 1 && node.outputs[0] != kNone;
    if (plain) casts.push_back({id, node.inputs[0], node.outputs[0]});
  }
  if (casts.empty()) return casts;
  std::vector<bool> given(graph.values.size());
  for (const Scope& scope : graph.scopes) {
    for (const ValueId output : scope.outputs) {
      if (output != kNone) given[output] = true;
    }
  }
  for (OwnCast& cast : casts) cast.given = given[cast.to];
  return casts;
}

// Returns for each value whether it is a low output of a graph.
std::vector<bool> GivenLow(const Graph& graph, const Plan& plan) {
  std::vector<bool> given(graph.values.size());
  for (std::size_t id = 0; id < graph.scopes.size(); ++id) {
    const std::vector<ValueId>& outputs = graph.scopes[id].outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const bool low = plan.scope_outputs[id][i] == Want::kLow;
      if (low && outputs[i] != kNone) given[outputs[i]] = true;
    }
  }
  return given;
}

// Returns whether every low reader of the cast's input comes after the cast, in its graph or inside
// a node of that graph.
bool StandsBeforeLowReaders(const Graph& graph, const Plan& plan, const OwnCast& cast) {
  const ScopeId scope = graph.nodes[cast.node].scope;
  for (const Use& use : graph.values[cast.from].uses) {
    if (plan.inputs[use.node][use.input] != Want::kLow) continue;
    NodeId reader = use.node;
    while (reader != kNone && graph.nodes[reader].scope != scope) {
      reader = graph.scopes[graph.nodes[reader].scope].owner;
    }
    if (reader <= cast.node) return false;
  }
  return true;
}

// Returns the casts that may be removed: those whose result is not an output of a graph.
std::vector<OwnCast> CastsNotGiven(const Graph& graph, const std::vector<NodeLabel>& labels) {
  std::vector<OwnCast> casts = OwnCasts(graph, labels);
  std::erase_if(casts, [](const OwnCast& cast) { return cast.given; });
  return casts;
}

// Turns casts that change nothing and were placed low into casts to float32, if their result is
// read in float32. Low readers then read the cast's input.
void TurnToUpcasts(const Graph& graph, const std::vector<NodeLabel>& labels,
                   const std::vector<bool>& given_low, Plan& plan) {
  for (const OwnCast& cast : OwnCasts(graph, labels)) {
    ValuePlan& to = plan.values[cast.to];
    if (!plan.low[cast.node] || !to.wanted_high || given_low[cast.to]) continue;
    plan.low[cast.node] = false;
    plan.inputs[cast.node][0] = Want::kAsItIs;
    to.low = false;
    to.same_low = cast.from;
  }
}

}  // namespace

void FindUpcasts(const Graph& graph, const std::vector<NodeLabel>& labels, Dtype target,
                 Plan& plan) {
  for (const OwnCast& cast : CastsNotGiven(graph, labels)) {
    const bool exact =
        graph.values[cast.from].type.IsTensorOf(target) || plan.values[cast.from].parameter;
    const bool parameter = plan.values[cast.to].parameter;  // from integers: created in each type
    if (exact && !parameter && graph.IsFloat32(cast.to)) plan.values[cast.to].same_low = cast.from;
  }
}

void FindUselessCasts(const Graph& graph, const std::vector<NodeLabel>& labels, Dtype target,
                      Plan& plan) {
  const std::vector<bool> given_low = GivenLow(graph, plan);
  TurnToUpcasts(graph, labels, given_low, plan);
  for (const OwnCast& cast : CastsNotGiven(graph, labels)) {
    ValuePlan& to = plan.values[cast.to];
    const bool becomes =
        plan.low[cast.node] ||
        (plan.values[cast.from].low &&
         (graph.IsFloat32(cast.to) || graph.values[cast.to].type.IsTensorOf(target)));
    if (becomes) to.same_low = cast.from;
    ValuePlan& from = plan.values[cast.from];
    if (from.CastDown() && graph.values[cast.to].type.IsTensorOf(target) && !given_low[cast.from] &&
        StandsBeforeLowReaders(graph, plan, cast)) {
      from.same_low = cast.to;
    }
    if (to.same_low == kNone) continue;
    const std::vector<Use>& uses = graph.values[cast.to].uses;
    const bool unread = std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      return !to.float32 || plan.inputs[use.node][use.input] == Want::kLow;
    });
    if (unread && (becomes || !uses.empty())) plan.unread_casts.push_back(cast.node);
    if (!from.parameter) continue;
    from.wanted_low = from.wanted_low || to.wanted_low;
    from.wanted_high = from.wanted_high || !unread;  // a remaining cast reads all elements
  }
}

}  // namespace opledger
