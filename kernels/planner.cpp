// Node by node, in an order in which all inputs come first: the binding says what it is, the
// registry which kernel runs it. What depends on constants only is computed at once.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "kernels/execution_plan.h"

namespace opledger {

ValueId ExecutionPlan::Root(ValueId value) const {
  while (slots[value].view_of != kNone) value = slots[value].view_of;
  return value;
}

std::vector<ValueId> RequiredInputs(const Graph& graph) {
  std::vector<ValueId> inputs;
  for (const ValueId input : graph.scopes[0].inputs) {
    if (graph.values[input].tensor == kNone) inputs.push_back(input);
  }
  return inputs;
}

namespace {

class Planner {
 public:
  Planner(const PlanRequest& request, std::string& problem)
      : graph_(*request.graph), request_(request), problem_(problem) {}

  std::optional<ExecutionPlan> Run();

 private:
  bool TakeInputs();
  bool TakeTensor(ValueId value);
  std::optional<std::vector<NodeId>> Order();
  bool PlanNode(NodeId id);
  bool IsConstant(ValueId value) const {
    return plan_.slots[plan_.Root(value)].place == Slot::Place::kConstant;
  }
  const void* ConstantOf(ValueId value) const {
    return IsConstant(value) ? plan_.slots[plan_.Root(value)].constant.data.get() : nullptr;
  }
  bool Fail(NodeId id, const std::string& why);
  Call CallOf(const Bound& bound, const NodeInputs& inputs, const Node& node) const;
  void Take(NodeId id, const Bound& bound, ChosenKernel chosen);
  void TakeView(const Bound& bound, const Node& node, const Prepared& prepared);
  void RunNow(const Node& node, const PlannedStep& step, const Prepared& prepared);

  const Graph& graph_;
  const PlanRequest& request_;
  std::string& problem_;
  ExecutionPlan plan_;
};

bool Planner::Fail(NodeId id, const std::string& why) {
  const Node& node = graph_.nodes[id];
  problem_ =
      "node '" + graph_.NameOf(id) + "' (" + QualifiedName(node.domain, node.op) + "): " + why;
  return false;
}

bool Planner::TakeInputs() {
  plan_.inputs = RequiredInputs(graph_);
  int number = 0;
  for (const ValueId input : plan_.inputs) {
    const std::string name(graph_.values[input].name);
    const auto given = request_.inputs.find(name);
    if (given == request_.inputs.end()) {
      problem_ = "input '" + name + "' is not given";
      return false;
    }
    const ValueType& type = graph_.values[input].type;
    if (type.dtype && *type.dtype != given->second.dtype) {
      problem_ = "input '" + name + "' is " + DtypeName(given->second.dtype) +
                 ", the model takes " + DtypeName(*type.dtype);
      return false;
    }
    Slot& slot = plan_.slots[input];
    slot.place = Slot::Place::kInput;
    slot.type = given->second;
    slot.input = number++;
  }
  return true;
}

// The numbers of an initializer, when somebody first reads them.
bool Planner::TakeTensor(ValueId value) {
  Slot& slot = plan_.slots[value];
  const TensorId tensor = graph_.values[value].tensor;
  if (tensor == kNone || slot.place != Slot::Place::kUnused) return true;
  auto loaded = request_.binding->load(tensor, problem_);
  if (!loaded) return false;
  slot.place = Slot::Place::kConstant;
  slot.type = loaded->type;
  slot.constant = std::move(*loaded);
  return true;
}

// Those that the outputs need, each behind what it needs. None: they wait for each other.
std::optional<std::vector<NodeId>> Planner::Order() {
  enum State : std::uint8_t { kNew, kOpen, kDone };
  std::vector<NodeId> order;
  std::vector<State> state(graph_.nodes.size(), kNew);
  std::vector<NodeId> stack;
  const auto producer = [&](ValueId value) {
    return value == kNone ? kNone : graph_.values[value].producer;
  };
  for (const ValueId output : graph_.scopes[0].outputs) {
    if (const NodeId node = producer(output); node != kNone) stack.push_back(node);
    while (!stack.empty()) {
      const NodeId node = stack.back();
      if (state[node] != kNew) {
        stack.pop_back();
        if (state[node] == kOpen) order.push_back(node);
        state[node] = kDone;
        continue;
      }
      state[node] = kOpen;
      for (const ValueId input : graph_.nodes[node].inputs) {
        const NodeId before = producer(input);
        if (before == kNone || state[before] == kDone) continue;
        if (state[before] == kOpen) return std::nullopt;
        stack.push_back(before);
      }
    }
  }
  return order;
}

Call Planner::CallOf(const Bound& bound, const NodeInputs& inputs, const Node& node) const {
  Call call;
  for (const int input : bound.inputs) {
    call.inputs.push_back(input < 0 ? std::nullopt : inputs.types[input]);
    call.constants.push_back(input < 0 ? nullptr : inputs.constants[input]);
  }
  call.outputs = node.outputs.size();
  call.parameters = bound.parameters;
  return call;
}

void Planner::TakeView(const Bound& bound, const Node& node, const Prepared& prepared) {
  Slot& slot = plan_.slots[node.outputs[0]];
  slot.type = prepared.outputs[0];
  slot.view_of = node.inputs[bound.inputs[0]];
}

// What constants make is a constant.
void Planner::RunNow(const Node& node, const PlannedStep& step, const Prepared& prepared) {
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (const ValueId input : step.inputs)
    inputs.push_back(input == kNone ? nullptr : ConstantOf(input));
  for (std::size_t i = 0; i < prepared.outputs.size(); ++i) {
    const ValueId output = i < node.outputs.size() ? node.outputs[i] : kNone;
    outputs.push_back(nullptr);
    if (output == kNone) continue;
    Slot& slot = plan_.slots[output];
    slot.place = Slot::Place::kConstant;
    slot.type = prepared.outputs[i];
    slot.constant = ConstantTensor(prepared.outputs[i]);
    outputs.back() = slot.constant.data.get();
  }
  const AlignedBytes workspace = AllocateAligned(step.workspace);
  step.run(inputs.data(), outputs.data(), workspace.get());
}

void Planner::Take(NodeId id, const Bound& bound, ChosenKernel chosen) {
  const Node& node = graph_.nodes[id];
  if (chosen.prepared.is_view) return TakeView(bound, node, chosen.prepared);
  PlannedStep step;
  step.node = id;
  step.kernel = chosen.entry;
  step.run = std::move(chosen.prepared.run);
  step.workspace = chosen.prepared.workspace;
  bool constant = true;
  for (const int input : bound.inputs) {
    step.inputs.push_back(input < 0 ? kNone : node.inputs[input]);
    constant = constant && (input < 0 || IsConstant(node.inputs[input]));
  }
  if (constant) return RunNow(node, step, chosen.prepared);
  for (std::size_t i = 0; i < chosen.prepared.outputs.size(); ++i) {
    const ValueId output = i < node.outputs.size() ? node.outputs[i] : kNone;
    step.outputs.push_back(output);
    if (output == kNone) continue;
    plan_.slots[output].place = Slot::Place::kArena;
    plan_.slots[output].type = chosen.prepared.outputs[i];
  }
  plan_.steps.push_back(std::move(step));
}

bool Planner::PlanNode(NodeId id) {
  const Node& node = graph_.nodes[id];
  if (graph_.Called(node) != kNone) return Fail(id, "it calls a function of the model");
  NodeInputs inputs;
  inputs.node = id;
  for (const ValueId input : node.inputs) {
    if (input != kNone && !TakeTensor(input)) return Fail(id, problem_);
    if (input != kNone && !plan_.slots[input].type) return Fail(id, "nobody computes its input");
    inputs.types.push_back(input == kNone ? std::nullopt : plan_.slots[input].type);
    inputs.constants.push_back(input == kNone ? nullptr : ConstantOf(input));
  }
  Bound bound = request_.binding->bind(inputs);
  if (!bound.problem.empty()) return Fail(id, bound.problem);
  for (std::size_t i = 0; i < bound.constants.size() && i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNone) continue;
    Slot& slot = plan_.slots[node.outputs[i]];
    slot.place = Slot::Place::kConstant;
    slot.type = bound.constants[i].type;
    slot.constant = std::move(bound.constants[i]);
  }
  if (bound.kernel.empty()) return true;
  ChosenKernel chosen = ChooseKernel(bound.kernel, CallOf(bound, inputs, node), request_.choice);
  if (chosen.entry == nullptr) return Fail(id, chosen.prepared.refusal);
  for (std::size_t i = chosen.prepared.outputs.size(); i < node.outputs.size(); ++i) {
    if (node.outputs[i] != kNone) return Fail(id, "the kernel does not compute all its outputs");
  }
  Take(id, bound, std::move(chosen));
  return true;
}

std::optional<ExecutionPlan> Planner::Run() {
  plan_.slots.resize(graph_.values.size());
  plan_.outputs = graph_.scopes[0].outputs;
  const auto order = Order();
  if (!order) {
    problem_ = "its nodes wait for each other";
    return std::nullopt;
  }
  if (!TakeInputs()) return std::nullopt;
  for (const NodeId node : *order) {
    if (!PlanNode(node)) return std::nullopt;
  }
  for (const ValueId output : plan_.outputs) {
    if (!TakeTensor(output)) return std::nullopt;
    if (plan_.slots[output].type) continue;
    problem_ = "nobody computes the output '" + std::string(graph_.values[output].name) + "'";
    return std::nullopt;
  }
  PlaceInArena(plan_);
  return std::move(plan_);
}

}  // namespace

std::optional<ExecutionPlan> MakeExecutionPlan(const PlanRequest& request, std::string& problem) {
  return Planner(request, problem).Run();
}

}  // namespace opledger
