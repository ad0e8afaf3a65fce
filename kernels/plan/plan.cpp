// Adds steps to plans, and computes constant ones immediately.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/plan.h"

#include <algorithm>

#include "kernels/kernel/step_problem.h"

namespace opledger {

void Slot::Hold(ConstantTensor tensor) {
  place = Place::kConstant;
  type = tensor.type;
  constant = std::move(tensor);
}

ValueId ExecutionPlan::AddSlot(ValueId version_of) {
  slots.emplace_back().version_of = version_of;
  return static_cast<ValueId>(slots.size()) - 1;
}

ValueId ExecutionPlan::Root(ValueId value) const {
  while (slots[value].view_of != kNone) value = slots[value].view_of;
  return value;
}

ValueId ExecutionPlan::Canonical(ValueId value) const {
  while (slots[value].view_of != kNone && slots[slots[value].view_of].type == slots[value].type) {
    value = slots[value].view_of;
  }
  return value;
}

bool ExecutionPlan::IsConstant(ValueId value) const {
  return slots[Root(value)].place == Slot::Place::kConstant;
}

const void* ExecutionPlan::ConstantOf(ValueId value) const {
  return IsConstant(value) ? slots[Root(value)].constant.data.get() : nullptr;
}

std::set<ValueId> ExecutionPlan::ReadRoots() const {
  std::set<ValueId> read;
  for (const PlannedStep& step : steps) {
    for (const ValueId input : step.inputs) {
      if (input != kNone) read.insert(Root(input));
    }
  }
  for (const ValueId output : outputs) read.insert(Root(output));
  return read;
}

namespace {

// Computes a step of constants. Returns false if the step failed, which the run will report.
bool RunNow(ExecutionPlan& plan, const PlannedStep& step, const Prepared& prepared) {
  std::vector<const void*> from;
  std::vector<void*> to;
  std::vector<ConstantTensor> made(prepared.outputs.size());
  for (const ValueId input : step.inputs) {
    from.push_back(input == kNone ? nullptr : plan.ConstantOf(input));
  }
  for (std::size_t i = 0; i < prepared.outputs.size(); ++i) {
    to.push_back(nullptr);
    if (step.outputs[i] == kNone) continue;
    made[i] = ConstantTensor(prepared.outputs[i]);
    to.back() = made[i].data.get();
  }
  const AlignedBytes workspace = AllocateAligned(prepared.workspace);
  prepared.run(from.data(), to.data(), workspace.get());
  if (!TakeStepProblem().ok()) return false;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (step.outputs[i] != kNone) plan.slots[step.outputs[i]].Hold(std::move(made[i]));
  }
  return true;
}

bool IsOfRun(const ExecutionPlan& plan, const std::vector<ValueId>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [&](ValueId input) {
    return input != kNone && plan.slots[plan.Root(input)].of_run;
  });
}

void KeepComputed(ExecutionPlan& plan, PlannedStep step) {
  if (!IsOfRun(plan, step.inputs)) return;
  for (const ValueId output : step.outputs) {
    if (output != kNone) plan.slots[output].of_run = true;
  }
  step.call.constants.clear();
  plan.computed.push_back(std::move(step));
}

}  // namespace

std::string StatusText(const Graph& graph, const Status& status) {
  if (status.node == kNone) return status.message;
  const Node& node = graph.nodes[status.node];
  return "node '" + graph.NameOf(status.node) + "' (" + QualifiedName(node.domain, node.op) +
         "): " + status.message;
}

std::vector<std::string> OutputNames(const Graph& graph, const ExecutionPlan& plan) {
  std::vector<std::string> names;
  auto list = plan.output_lists.begin();
  const std::vector<ValueId>& outputs = graph.scopes[0].outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string name(graph.values[outputs[i]].name);
    if (list == plan.output_lists.end() || list->output != i) {
      names.push_back(name);
      continue;
    }
    for (std::size_t k = 0; k < list->count; ++k) names.push_back(name + "." + std::to_string(k));
    ++list;
  }
  return names;
}

bool RoundsFloats(const ExecutionPlan& plan, const PlannedStep& step,
                  const std::vector<TensorType>& outputs) {
  const std::string_view bound = step.kernel->error_bound();
  if (bound == "exact" || bound == "0.5 ulp") return false;
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const TensorType& type) { return IsFloat(type.dtype); }) &&
         std::any_of(step.inputs.begin(), step.inputs.end(), [&](ValueId input) {
           return input != kNone && IsFloat(plan.slots[input].type->dtype);
         });
}

void AddStep(ExecutionPlan& plan, PlannedStep step, Prepared prepared) {
  if (prepared.is_view) {
    plan.slots[step.outputs[0]].type = prepared.outputs[0];
    plan.slots[step.outputs[0]].view_of = step.inputs[0];
    return;
  }
  step.outputs.resize(prepared.outputs.size(), kNone);
  const bool constant = std::all_of(step.inputs.begin(), step.inputs.end(), [&](ValueId input) {
    return input == kNone || plan.IsConstant(input);
  });
  const bool waits = IsOfRun(plan, step.inputs) && RoundsFloats(plan, step, prepared.outputs);
  const bool is_done = constant && !waits && RunNow(plan, step, prepared);
  step.run = std::move(prepared.run);
  step.workspace = prepared.workspace;
  if (is_done) return KeepComputed(plan, std::move(step));
  for (std::size_t i = 0; i < prepared.outputs.size(); ++i) {
    if (step.outputs[i] == kNone) continue;
    Slot& slot = plan.slots[step.outputs[i]];
    slot.place = Slot::Place::kArena;
    slot.type = prepared.outputs[i];
  }
  plan.steps.push_back(std::move(step));
}

}  // namespace opledger
