// Each round keeps in float32 what the previous one placed there, so the rounds end.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/place_raised.h"

#include "conversion/hazards/hazards.h"
#include "conversion/hazards/option_pins.h"

namespace opledger {
namespace {

constexpr int kMaxRounds = 8;  // then all are kept in float32

void AddTo(Diagnostics& diagnostics, const Diagnostics& more) {
  for (const Diagnostic& each : more.all()) diagnostics.Add(each);
}

// Keeps nodes that are not low in float32. Returns whether there are any.
bool KeepHigh(const std::vector<NodeId>& nodes, const Plan& plan, bool all,
              std::vector<NodeLabel>& labels) {
  bool any = false;
  for (const NodeId node : nodes) {
    if (plan.low[node]) continue;
    any = true;
    PinNode(labels[node], LabelRule::kGuard,
            "it is placed in float32, where it reads a small constant");
  }
  for (const NodeId node : nodes) {
    if (any && all && labels[node].label != Label::kLow) {
      PinNode(labels[node], LabelRule::kGuard, "it reads a constant that is too small for 16 bits");
    }
  }
  return any;
}

}  // namespace

Plan PlaceRaised(const Graph& graph, const ConvertOptions& options, const PlanOptions& plan_options,
                 const RaiseHazards& raise, std::vector<NodeLabel>& labels,
                 Diagnostics& diagnostics) {
  for (int round = 0;; ++round) {
    Diagnostics of_round;  // only those of the last round are reported
    const std::vector<NodeId> raised = raise(of_round);
    PinByOptions(graph, options, labels);
    Plan plan = PlaceFreeNodes(graph, labels, plan_options);
    if (plan.unknown == kNone && KeepHigh(raised, plan, round >= kMaxRounds, labels)) continue;
    AddTo(diagnostics, of_round);
    return plan;
  }
}

}  // namespace opledger
