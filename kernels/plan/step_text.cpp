// Formats steps. Names come from models, so they are escaped.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/step_text.h"

#include <set>

#include "registry/text/diagnostics.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

std::string JoinPrintable(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + Printable(name);
  return text;
}

std::string WhyNoStep(const Graph& graph, const ExecutionPlan& plan, const Node& node) {
  for (const ValueId output : node.outputs) {
    if (output == kNone || !plan.slots[output].type) continue;
    if (plan.IsConstant(output)) return "its result is known before the model runs";
    const ValueId of = plan.slots[output].view_of;
    if (of != kNone) return "its result is a view of " + SlotName(graph, plan, of);
  }
  return "the plan no longer contains it";
}

}  // namespace

std::string StepText(const RecordedStep& step, const std::string& refusal,
                     const std::string& indent) {
  std::string text = indent + (step.node.empty() ? "between nodes" : Printable(step.node)) + ": " +
                     step.kernel + " (" + (step.device.empty() ? "cpu" : step.device);
  if (!step.implementation.empty() && step.implementation != step.device) {
    text += ", " + step.implementation;
  }
  if (step.channels_last) text += ", channels last";
  text += (refusal.empty() ? "" : "; not on the GPU: " + refusal) + ")\n";
  if (!step.fused.empty()) text += indent + "  fused: " + JoinPrintable(step.fused) + "\n";
  for (const RecordedRefusal& each : step.refused) {
    if (each.why == refusal) continue;
    text += indent + "  " + each.implementation + " refused: " + Printable(each.why) + "\n";
  }
  if (step.inner == nullptr) return text;
  for (const RecordedGraph& graph : step.inner->graphs) {
    text += indent + "  graph " + std::to_string(graph.scope) + ", given " +
            (graph.inputs.empty() ? "nothing" : JoinPrintable(graph.inputs)) + "\n";
    for (const RecordedStep& each : graph.steps) text += StepText(each, {}, indent + "    ");
  }
  return text;
}

std::string NodesWithoutSteps(const Graph& graph, const ExecutionPlan& plan) {
  std::set<NodeId> computed;
  for (const PlannedStep& step : plan.steps) {
    computed.insert(step.node);
    computed.insert(step.fused.begin(), step.fused.end());
  }
  std::string text;
  for (const NodeId id : graph.scopes[0].nodes) {
    const Node& node = graph.nodes[id];
    if (node.inputs.empty() || computed.count(id) != 0) continue;
    text += Printable(graph.NameOf(id)) + ": no kernel: " + WhyNoStep(graph, plan, node) + "\n";
  }
  return text;
}

std::string SlotName(const Graph& graph, const ExecutionPlan& plan, ValueId value) {
  const Slot& slot = plan.slots[value];
  if (static_cast<std::size_t>(value) < graph.values.size()) {
    return Printable(graph.values[value].name);
  }
  if (slot.version_of == kNone) return "an intermediate value";
  const std::string name = SlotName(graph, plan, slot.version_of);
  return slot.element < 0 ? name : name + "." + std::to_string(slot.element);
}

std::string RefusalsText(const std::vector<RecordedStep>& steps) {
  constexpr std::size_t kNames = 3;
  std::map<std::vector<std::string>, std::vector<std::string>> nodes;
  for (const RecordedStep& step : steps) {
    for (const RecordedRefusal& each : step.refused) {
      nodes[{step.kernel, each.implementation, each.why}].push_back(
          step.node.empty() ? "between nodes" : Printable(step.node));
    }
  }
  std::string text;
  for (auto& [key, names] : nodes) {
    const std::size_t count = names.size();
    if (count > kNames) names.resize(kNames);
    text += key[0] + ": " + key[1] + " refused " + Counted(count, "step") + " (" +
            Join(names, ", ") + (count > kNames ? ", ..." : "") + "): " + Printable(key[2]) + "\n";
  }
  return text;
}

}  // namespace opledger
