// Units -> placement -> who computes what in which type, and who wants it so.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/place.h"

#include <algorithm>

#include "conversion/place/placement_nodes.h"

namespace opledger {
namespace {

// Sums of costs must stay far from the end of their type.
constexpr std::uint64_t kMostCost = std::uint64_t{1} << 40;

PlacementProblem ProblemOf(const Graph& graph, const std::vector<NodeLabel>& labels,
                           const Units& units, const std::vector<ValuePlan>& values,
                           const PlanOptions& options, ValueId& unknown) {
  PlacementProblem problem;
  problem.units = units.pins;
  std::vector<std::vector<UnitId>> readers(graph.values.size());
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    for (std::size_t i = 0; i < graph.nodes[node].inputs.size(); ++i) {
      const ValueId value = graph.nodes[node].inputs[i];
      const UnitId reader = units.inputs[node][i];
      if (value == kNone || !values[value].float32 || reader == kNoUnit) continue;
      if (values[value].parameter) continue;
      readers[value].push_back(reader);
      const bool widest = labels[node].label == Label::kWidest && reader == units.nodes[node];
      if (widest) problem.arcs.push_back({reader, units.producers[value]});
    }
  }
  for (std::size_t scope = 0; scope < graph.scopes.size(); ++scope) {
    for (std::size_t i = 0; i < graph.scopes[scope].outputs.size(); ++i) {
      const ValueId value = graph.scopes[scope].outputs[i];
      if (value == kNone || !values[value].float32 || values[value].parameter) continue;
      readers[value].push_back(units.scope_outputs[scope][i]);
    }
  }
  for (std::size_t value = 0; value < readers.size(); ++value) {
    if (readers[value].empty()) continue;
    const bool settled =
        std::all_of(readers[value].begin(), readers[value].end(), [&](UnitId reader) {
          return units.pins[reader] != Pin::kFree &&
                 units.pins[reader] == units.pins[units.producers[value]];
        });
    std::uint64_t cost = 1;
    if (options.costs != nullptr && !settled) {
      const auto& known = (*options.costs)[value];
      if (!known && unknown == kNone) unknown = static_cast<ValueId>(value);
      cost = std::min(known.value_or(1), kMostCost);
    }
    problem.tensors.push_back({units.producers[value], std::move(readers[value]), cost, cost});
  }
  return problem;
}

Want WantOf(const PlacementResult& placed, UnitId reader) {
  if (reader == kNoUnit) return Want::kAsItIs;
  return placed.low[reader] ? Want::kLow : Want::kHigh;
}

void Note(Want want, ValuePlan& value) {
  value.wanted_low = value.wanted_low || want == Want::kLow;
  value.wanted_high = value.wanted_high || want == Want::kHigh;
}

}  // namespace

bool Plan::Changes() const {
  return std::find(low.begin(), low.end(), true) != low.end() ||
         std::any_of(values.begin(), values.end(),
                     [](const ValuePlan& value) { return value.low || value.stored_low; });
}

Plan MakePlan(const Graph& graph, const std::vector<NodeLabel>& labels,
              const PlanOptions& options) {
  Plan plan;
  plan.values.resize(graph.values.size());
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    plan.values[id].float32 = value.type.IsTensorOf(Dtype::kFloat32);
    plan.values[id].parameter = plan.values[id].float32 && IsParameter(graph, value);
  }
  Units units = MakeUnits(graph, labels);
  if (options.low_outputs) {
    const auto border = static_cast<UnitId>(units.pins.size());
    units.pins.push_back(Pin::kLow);
    for (const ValueId input : graph.scopes[0].inputs) {
      // The numbers of an initializer that the user may override stay as they are.
      if (graph.values[input].tensor == kNone) units.producers[input] = border;
    }
    for (UnitId& output : units.scope_outputs[0]) output = border;
  }
  const PlacementProblem problem =
      ProblemOf(graph, labels, units, plan.values, options, plan.unknown);
  const PlacementResult placed = Place(problem);
  plan.cost = placed.cost;
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    ValuePlan& value = plan.values[id];
    value.low = value.float32 && !value.parameter && placed.low[units.producers[id]];
  }
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    plan.low.push_back(placed.low[units.nodes[node]]);
    std::vector<Want>& wants = plan.inputs.emplace_back();
    for (std::size_t i = 0; i < graph.nodes[node].inputs.size(); ++i) {
      wants.push_back(WantOf(placed, units.inputs[node][i]));
      const ValueId value = graph.nodes[node].inputs[i];
      if (value != kNone) Note(wants.back(), plan.values[value]);
    }
  }
  for (std::size_t scope = 0; scope < graph.scopes.size(); ++scope) {
    std::vector<Want>& wants = plan.scope_outputs.emplace_back();
    for (std::size_t i = 0; i < graph.scopes[scope].outputs.size(); ++i) {
      wants.push_back(WantOf(placed, units.scope_outputs[scope][i]));
      const ValueId value = graph.scopes[scope].outputs[i];
      if (value != kNone) Note(wants.back(), plan.values[value]);
    }
  }
  for (const ValuePlan& value : plan.values) {
    plan.casts += (value.CastDown() ? 1 : 0) + (value.CastUp() ? 1 : 0);
  }
  return plan;
}

}  // namespace opledger
