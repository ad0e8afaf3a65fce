// Follows a recorded plan: planning takes its usual course, guided by the record. If the steps then
// differ from those of the record, the record belongs to something else.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/plan_replay.h"

namespace opledger {
namespace {

constexpr const char* kMakeAnew =
    "it was made for another model, other inputs, another list or another version of opledger: "
    "write a new one with --write-plan";

const std::vector<const KernelEntry*>& EntriesOf(const std::string& kernel) {
  static const std::vector<const KernelEntry*> kNothing;
  const auto found = Kernels().find(kernel);
  return found == Kernels().end() ? kNothing : found->second;
}

std::string StepName(const std::string& node, const std::string& op, const std::string& kernel) {
  if (node.empty()) return kernel + " between nodes";
  return "'" + node + "' " + (op.empty() ? "" : "(" + op + ") ") + "by " + kernel;
}

std::string NodeName(const Graph& graph, NodeId node) {
  return node == kNone ? std::string() : graph.NameOf(node);
}

// Returns the implementations of a kernel: "oneDNN, vector, reference". Empty if this program has
// none.
std::string ImplementationsOf(const std::string& kernel, std::string_view device) {
  std::string all;
  std::string_view last;
  for (const KernelEntry* entry : EntriesOf(kernel)) {
    if (entry->device() != device || entry->implementation_name() == last) continue;
    last = entry->implementation_name();
    all += (all.empty() ? "" : ", ") + std::string(last);
  }
  return all;
}

// "oneDNN" of "oneDNN brg:avx2". If the step has no implementation, the reference or that of the
// device.
std::string_view ImplementationOf(const RecordedStep& step, std::string_view device) {
  const std::string_view all = step.implementation;
  if (all.empty()) return device == "cpu" ? "reference" : device;
  return all.substr(0, all.find(' '));
}

}  // namespace

RecordedChoices::RecordedChoices(const Graph& graph, const RecordedGraph& recorded)
    : graph_(graph) {
  for (const RecordedStep& step : recorded.steps) {
    for (const std::string& node : step.fused) fused_.emplace(step.node, node);
    if (step.channels_last) last_.emplace(step.node, step.kernel);
  }
}

bool RecordedChoices::Fuses(const PlannedStep& step, NodeId reader) const {
  return fused_.contains({NodeName(graph_, step.node), NodeName(graph_, reader)});
}

bool RecordedChoices::HasChannelsLast(const PlannedStep& step) const {
  return last_.contains({NodeName(graph_, step.node), std::string(step.kernel->name())});
}

bool PlanReplay::Fail(const Location& at, std::string message, std::string hint) {
  if (problem_) return false;
  problem_.emplace();
  problem_->location = at;
  problem_->message = std::move(message);
  problem_->hint = std::move(hint);
  return false;
}

const RecordedGraph* PlanReplay::Find(const Graph& graph, ScopeId scope, const std::string& part,
                                      const ExecutionPlan& plan) {
  const std::vector<std::string> types = InputTypes(plan);
  const RecordedGraph* other = nullptr;
  int most = -1;
  for (const RecordedGraph& recorded : plan_.graphs) {
    if (recorded.scope != scope) continue;
    const int alike = (recorded.part == part ? 2 : 0) + (recorded.inputs == types ? 1 : 0);
    if (alike <= most) continue;
    most = alike;
    other = &recorded;
  }
  if (other == nullptr) {
    Fail(plan_.location,
         "the plan does not contain the model's graph " + std::to_string(scope) + ", of " +
             std::to_string(graph.scopes[scope].nodes.size()) + " nodes",
         kMakeAnew);
  }
  return other;
}

bool PlanReplay::IsSame(const Graph& graph, const PlannedStep& step, const RecordedStep& recorded) {
  const std::string name = NodeName(graph, step.node);
  const std::string kernel(step.kernel->name());
  if (recorded.node == name && recorded.kernel == kernel) return true;
  std::string op;
  if (step.node != kNone) {
    const Node& node = graph.nodes[step.node];
    op = QualifiedName(node.domain, node.op);
  }
  return Fail(recorded.location,
              "the plan continues with " + StepName(recorded.node, recorded.op, recorded.kernel) +
                  ", the model with " + StepName(name, op, kernel),
              kMakeAnew);
}

bool PlanReplay::ChooseStep(const Graph& graph, const RecordedStep& recorded,
                            std::string_view device, bool asks_why, PlannedStep& step) {
  if (!IsSame(graph, step, recorded)) return false;
  // Control flow has no registration, so it keeps its entry.
  const bool has_entry = Kernels().count(step.kernel->name()) != 0;
  if (device != "cpu" && (!has_entry || !recorded.device.empty())) {
    device = "cpu";
    step.refusal = "the plan puts it on the CPU";
  }
  if (!has_entry) return true;
  const std::string_view named = ImplementationOf(recorded, device);
  const std::string what =
      "the implementation '" + std::string(named) + "' of the kernel '" + recorded.kernel + "'";
  if (plan_.kernels == "reference") {
    return named == "reference" ||
           Fail(recorded.location,
                what + " is not the reference, but the plan has reference kernels",
                "set the plan's \"kernels\" to \"fast\"");
  }
  std::string refusal;
  // Registrations for different types share a name and an implementation.
  for (const KernelEntry* entry : EntriesOf(recorded.kernel)) {
    if (entry->device() != device) continue;
    const bool is_named = entry->implementation_name() == named &&
                          entry->instruction_set() == recorded.instruction_set;
    if (!is_named && !asks_why) continue;
    Prepared prepared = entry->Serve(step.call);
    if (!is_named && prepared.refusal.ok())
      prepared.refusal = "the plan names another implementation";
    if (!prepared.refusal.ok()) {
      if (is_named) refusal = prepared.refusal.message;
      if (asks_why) step.refused.push_back({entry, prepared.refusal.message});
      continue;
    }
    step.kernel = entry;
    TakeChosen(std::move(prepared), step);
    return true;
  }
  const std::string has = ImplementationsOf(recorded.kernel, device);
  if (!refusal.empty()) {
    return Fail(
        recorded.location,
        what + " cannot serve " + StepName(recorded.node, recorded.op, recorded.kernel) + ": " +
            refusal,
        "write a new plan on this machine with --write-plan, or name another implementation: " +
            has);
  }
  return Fail(recorded.location, what + " is not in this program",
              has.empty() ? kMakeAnew
                          : std::string(device) + " has the implementations " + has +
                                "; write a new plan with --write-plan, or name one of these");
}

bool PlanReplay::Choose(const Graph& graph, const RecordedGraph& recorded, std::string_view device,
                        bool asks_why, ExecutionPlan& plan) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (i == recorded.steps.size()) {
      const PlannedStep& step = plan.steps[i];
      return Fail(recorded.location,
                  "the plan ends before the model: it has no step for '" +
                      NodeName(graph, step.node) + "' by " + std::string(step.kernel->name()),
                  kMakeAnew);
    }
    if (!ChooseStep(graph, recorded.steps[i], device, asks_why, plan.steps[i])) return false;
  }
  if (recorded.steps.size() == plan.steps.size()) return true;
  const RecordedStep& next = recorded.steps[plan.steps.size()];
  return Fail(next.location,
              "the plan continues with " + StepName(next.node, next.op, next.kernel) +
                  ", but the model has ended",
              kMakeAnew);
}

}  // namespace opledger
