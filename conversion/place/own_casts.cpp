// What a graph gives keeps the cast that makes it.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/own_casts.h"

#include <algorithm>

namespace opledger {
namespace {

struct OwnCast {
  NodeId node = kNone;
  ValueId from = kNone;
  ValueId to = kNone;
};

// Those that may go: whose result no graph gives, and that are not excluded.
std::vector<OwnCast> OwnCasts(const Graph& graph, const std::vector<NodeLabel>& labels) {
  std::vector<OwnCast> casts;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    const Node& node = graph.nodes[id];
    const bool plain = labels[id].rule == "cast" && node.op == "Cast" && node.inputs.size() == 1 &&
                       node.inputs[0] != kNone && node.outputs.size() == 1 &&
                       node.outputs[0] != kNone;
    if (plain) casts.push_back({id, node.inputs[0], node.outputs[0]});
  }
  if (casts.empty()) return casts;
  std::vector<bool> given(graph.values.size());
  for (const Scope& scope : graph.scopes) {
    for (const ValueId output : scope.outputs) {
      if (output != kNone) given[output] = true;
    }
  }
  std::erase_if(casts, [&](const OwnCast& cast) { return given[cast.to]; });
  return casts;
}

}  // namespace

void FindUpcasts(const Graph& graph, const std::vector<NodeLabel>& labels, Dtype target,
                 Plan& plan) {
  for (const OwnCast& cast : OwnCasts(graph, labels)) {
    const bool exact =
        graph.values[cast.from].type.IsTensorOf(target) || plan.values[cast.from].parameter;
    const bool parameter = plan.values[cast.to].parameter;  // of integers: made in each type
    if (exact && !parameter && graph.IsFloat32(cast.to)) plan.values[cast.to].same_low = cast.from;
  }
}

void FindUselessCasts(const Graph& graph, const std::vector<NodeLabel>& labels, Dtype target,
                      Plan& plan) {
  for (const OwnCast& cast : OwnCasts(graph, labels)) {
    ValuePlan& to = plan.values[cast.to];
    const bool becomes =
        plan.values[cast.from].low &&
        (graph.IsFloat32(cast.to) || graph.values[cast.to].type.IsTensorOf(target));
    if (becomes) to.same_low = cast.from;
    if (to.same_low == kNone) continue;
    const std::vector<Use>& uses = graph.values[cast.to].uses;
    const bool unread = std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      return !to.float32 || plan.inputs[use.node][use.input] == Want::kLow;
    });
    if (unread && !uses.empty()) plan.unread_casts.push_back(cast.node);
    if (!plan.values[cast.from].parameter) continue;
    ValuePlan& from = plan.values[cast.from];
    from.wanted_low = from.wanted_low || to.wanted_low;
    from.wanted_high = from.wanted_high || !unread;  // the cast that stays reads all of it
  }
}

}  // namespace opledger
