// Turns placement nodes into a minimum cut, which gives the type in which each node computes and
// each input is read.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/place.h"

#include <algorithm>

#include "conversion/place/border.h"
#include "conversion/place/own_casts.h"
#include "conversion/place/placement_nodes.h"

namespace opledger {
namespace {

// Keeps sums of costs far from overflow.
constexpr std::uint64_t kMaxCost = std::uint64_t{1} << 40;

PlacementProblem ProblemOf(const Graph& graph, const std::vector<NodeLabel>& labels,
                           const PlacementNodes& placement, const std::vector<ValuePlan>& values,
                           const PlanOptions& options, ValueId& unknown) {
  PlacementProblem problem;
  problem.nodes = placement.pins;
  std::vector<std::vector<PlacementNodeId>> readers(graph.values.size());
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    for (std::size_t i = 0; i < graph.nodes[node].inputs.size(); ++i) {
      const ValueId value = graph.nodes[node].inputs[i];
      const PlacementNodeId reader = placement.inputs[node][i];
      if (value == kNone || !values[value].float32 || reader == kNoPlacementNode) continue;
      if (values[value].parameter || values[value].same_low != kNone) continue;
      readers[value].push_back(reader);
      const bool widest = labels[node].label == Label::kWidest && reader == placement.nodes[node];
      if (widest) problem.arcs.push_back({reader, placement.producers[value]});
    }
  }
  for (std::size_t scope = 0; scope < graph.scopes.size(); ++scope) {
    for (std::size_t i = 0; i < graph.scopes[scope].outputs.size(); ++i) {
      const ValueId value = graph.scopes[scope].outputs[i];
      if (value == kNone || !values[value].float32 || values[value].parameter) continue;
      readers[value].push_back(placement.scope_outputs[scope][i]);
    }
  }
  for (std::size_t value = 0; value < readers.size(); ++value) {
    if (readers[value].empty()) continue;
    const bool settled =
        std::all_of(readers[value].begin(), readers[value].end(), [&](PlacementNodeId reader) {
          return placement.pins[reader] != Pin::kFree &&
                 placement.pins[reader] == placement.pins[placement.producers[value]];
        });
    std::uint64_t cost = 1;
    if (options.costs != nullptr && !settled) {
      const auto& known = (*options.costs)[value];
      if (!known && unknown == kNone) unknown = static_cast<ValueId>(value);
      cost = std::min(known.value_or(1), kMaxCost);
    }
    // A cast that changes nothing can itself convert a low input to float32, so that is free.
    const NodeId producer = graph.values[value].producer;
    const bool free = producer != kNone && labels[producer].rule == LabelRule::kCast;
    problem.tensors.push_back(
        {placement.producers[value], std::move(readers[value]), cost, free ? 0 : cost});
  }
  return problem;
}

Want WantOf(const PlacementResult& placed, PlacementNodeId reader) {
  if (reader == kNoPlacementNode) return Want::kAsItIs;
  return placed.low[reader] ? Want::kLow : Want::kHigh;
}

void Note(Want want, ValuePlan& value) {
  value.wanted_low = value.wanted_low || want == Want::kLow;
  value.wanted_high = value.wanted_high || want == Want::kHigh;
}

}  // namespace

bool Plan::Changes() const {
  return casts != 0 || std::find(low.begin(), low.end(), true) != low.end() ||
         std::any_of(values.begin(), values.end(),
                     [](const ValuePlan& value) { return value.low || value.stored_low; });
}

Plan PlaceFreeNodes(const Graph& graph, const std::vector<NodeLabel>& labels,
                    const PlanOptions& options) {
  Plan plan;
  plan.raises_small = options.raises_small;
  plan.values.resize(graph.values.size());
  // A parameter recreated in each type gets a new name in one of them, but an output must keep its
  // name.
  std::vector<bool> made_once(graph.values.size());
  for (const ValueId output : graph.scopes[0].outputs) {
    const bool low = options.low_outputs && output != kNone;
    if (low) made_once[output] = graph.values[output].producer != kNone;
  }
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    plan.values[id].float32 = value.type.IsTensorOf(Dtype::kFloat32);
    const bool cast = value.producer != kNone && !options.casts_constants.empty() &&
                      options.casts_constants[value.producer];
    plan.values[id].parameter =
        plan.values[id].float32 && !cast && !made_once[id] && IsParameter(graph, value);
  }
  if (options.own_casts) FindUpcasts(graph, labels, *options.own_casts, plan);
  PlacementNodes placement = MakePlacementNodes(graph, labels);
  if (options.low_outputs) plan.kept_border = PinBorder(graph, options, placement);
  TakeRounded(graph, labels, placement);
  const PlacementProblem problem =
      ProblemOf(graph, labels, placement, plan.values, options, plan.unknown);
  const PlacementResult placed = Place(problem);
  plan.cost = placed.cost;
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    ValuePlan& value = plan.values[id];
    value.low = value.float32 && !value.parameter && placed.low[placement.producers[id]];
  }
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    plan.low.push_back(placed.low[placement.nodes[node]]);
    for (const SaidType& said : labels[node].said) {
      if (plan.low.back()) plan.attributes.push_back({static_cast<NodeId>(node), said});
    }
    std::vector<Want>& wants = plan.inputs.emplace_back();
    for (std::size_t i = 0; i < graph.nodes[node].inputs.size(); ++i) {
      wants.push_back(WantOf(placed, placement.inputs[node][i]));
      const ValueId value = graph.nodes[node].inputs[i];
      if (value != kNone) Note(wants.back(), plan.values[value]);
    }
  }
  for (std::size_t scope = 0; scope < graph.scopes.size(); ++scope) {
    std::vector<Want>& wants = plan.scope_outputs.emplace_back();
    for (std::size_t i = 0; i < graph.scopes[scope].outputs.size(); ++i) {
      wants.push_back(WantOf(placed, placement.scope_outputs[scope][i]));
      const ValueId value = graph.scopes[scope].outputs[i];
      if (value != kNone) Note(wants.back(), plan.values[value]);
    }
  }
  if (options.own_casts) FindUselessCasts(graph, labels, *options.own_casts, plan);
  for (const ValuePlan& value : plan.values) {
    plan.casts += (value.CastDown() ? 1 : 0) + (value.CastUp() ? 1 : 0);
  }
  return plan;
}

void TakeAttributes(const Plan& plan, std::int64_t (*flag_of)(Dtype), Graph& graph) {
  for (const PlannedAttribute& planned : plan.attributes) {
    std::vector<Attribute>& attributes = graph.nodes[planned.node].attributes;
    std::erase_if(attributes,
                  [&](const Attribute& each) { return each.name == planned.said.attribute; });
    Attribute& attribute = attributes.emplace_back();
    attribute.name = planned.said.attribute.text();
    attribute.integer = flag_of(planned.said.dtype);
    attribute.kind = attribute.integer == 0 ? Attribute::Kind::kString : Attribute::Kind::kInt;
    if (attribute.integer == 0) attribute.text = DtypeName(planned.said.dtype);
    attribute.type = {ValueType::Kind::kTensor, planned.said.dtype};
  }
}

void LabelForStorage(std::vector<NodeLabel>& labels) {
  for (NodeLabel& label : labels) {
    if (label.rule == LabelRule::kExcluded) continue;
    label.label = Label::kFp32;
    label.rule = LabelRule::kStorageOnly;
    label.reason = "only weights are in 16 bits";
    label.place = {};
  }
}

Plan MakeStoragePlan(const Graph& graph, const std::vector<NodeLabel>& labels,
                     const ConvertOptions& options, const std::function<bool(ValueId)>& rounds) {
  Plan plan;
  plan.raises_small = options.RaisesSmall();
  plan.low.resize(graph.nodes.size());
  plan.values.resize(graph.values.size());
  std::vector<bool> given(graph.values.size());  // whether it is an output of a graph
  for (const Scope& scope : graph.scopes) {
    for (const ValueId output : scope.outputs) {
      if (output != kNone) given[output] = true;
    }
    plan.scope_outputs.emplace_back(scope.outputs.size(), Want::kAsItIs);
  }
  for (ValueId id = 0; id < static_cast<ValueId>(graph.values.size()); ++id) {
    const Value& value = graph.values[id];
    if (given[id] || !graph.IsFloat32(id) || !IsParameter(graph, value)) continue;
    const TensorId tensor = ParameterTensor(graph, value);
    const bool filled = value.producer != kNone && graph.nodes[value.producer].op != "Constant";
    if (tensor == kNone || filled || value.uses.empty()) continue;
    if (graph.tensors[tensor].elements < std::max<std::uint64_t>(options.min_elements, 1)) continue;
    const bool excluded = std::any_of(value.uses.begin(), value.uses.end(), [&](const Use& use) {
      return labels[use.node].rule == LabelRule::kExcluded;
    });
    if (excluded || !rounds(id)) continue;
    ValuePlan& planned = plan.values[id];
    planned.float32 = planned.stored_low = planned.low = planned.wanted_high = true;
    ++plan.casts;
  }
  for (const Node& node : graph.nodes) {
    std::vector<Want>& wants = plan.inputs.emplace_back(node.inputs.size(), Want::kAsItIs);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId value = node.inputs[i];
      if (value != kNone && plan.values[value].stored_low) wants[i] = Want::kHigh;
    }
  }
  return plan;
}

bool CheckStorageOptions(const ConvertOptions& options, Diagnostics& diagnostics) {
  const std::pair<const char*, bool> others[] = {
      {"--list", !options.list.empty()},
      {"--target-ops", !options.target_ops.empty()},
      {"--fp32-ops", !options.fp32_ops.empty()},
      {"--widest-ops", !options.widest_ops.empty()},
      {"--taint", options.taint},
      {"--profile", !options.profile.empty()},
      {"--io-types low", options.io_types == "low"},
  };
  for (const auto& [option, given] : others) {
    if (!given) continue;
    diagnostics.Error({.path = options.model},
                      std::string(option) +
                          " sets what is computed in 16 bits, but with "
                          "--storage-only nothing is",
                      "leave out one of them");
  }
  return !diagnostics.has_errors();
}

}  // namespace opledger
