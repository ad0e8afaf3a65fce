// A stored parameter is like a value that is computed low and wanted high by all.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/storage_plan.h"

#include <algorithm>

namespace opledger {

void LabelForStorage(std::vector<NodeLabel>& labels) {
  for (NodeLabel& label : labels) {
    if (label.rule == "excluded") continue;
    label.label = Label::kFp32;
    label.rule = "storage-only";
    label.reason = "only weights are in 16 bits";
    label.place = {};
  }
}

Plan MakeStoragePlan(const Graph& graph, const std::vector<NodeLabel>& labels,
                     const ConvertOptions& options, const std::function<bool(ValueId)>& rounds) {
  Plan plan;
  plan.low.resize(graph.nodes.size());
  plan.values.resize(graph.values.size());
  std::vector<bool> given(graph.values.size());  // by a graph, as its output
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
      return labels[use.node].rule == "excluded";
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
                          " says what is computed in 16 bits, and with "
                          "--storage-only nothing is",
                      "leave out one of them");
  }
  return !diagnostics.has_errors();
}

}  // namespace opledger
