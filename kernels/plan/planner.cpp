// Turns nodes into steps, in topological order: the binding gives the kernel calls of a node, and
// the registry the kernels. Values that depend only on constants are computed during planning.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/planner.h"

#include <algorithm>

#include "kernels/machine/cpu_time.h"
#include "kernels/machine/run_limits.h"
#include "kernels/plan/passes.h"

namespace opledger {

std::vector<ValueId> RequiredInputs(const Graph& graph) {
  std::vector<ValueId> inputs;
  for (const ValueId input : graph.scopes[0].inputs) {
    if (graph.values[input].tensor == kNone) inputs.push_back(input);
  }
  return inputs;
}

namespace {

// Uses the reference kernels to determine types and to compute constants.
constexpr KernelChoice kReference = {true};

}  // namespace

bool Planner::Fail(NodeId id, const Status& why) {
  Status status = why;  // `why` may be problem_ itself
  if (status.node != kNone) status.message = StatusText(graph_, status);  // of an inner graph
  status.node = id;
  problem_ = std::move(status);
  if (request_.unknown == nullptr || planned_in_place_ > 0) return false;
  *request_.unknown = {id, {}};
  SayUnknown(id);
  return false;
}

// Reports the inputs whose elements are not known; for a list, its elements.
void Planner::SayUnknown(NodeId id) {
  const Node& node = graph_.nodes[id];
  std::vector<ValueId> inputs = node.inputs;
  const std::vector<ValueId> captured = CapturedValues(graph_, node);
  inputs.insert(inputs.end(), captured.begin(), captured.end());
  for (const ValueId input : inputs) {
    if (input == kNone) continue;
    if (lists_.count(input) != 0 && graph_.values[input].producer != kNone) {
      SayUnknown(graph_.values[input].producer);
    }
    if (!plan_.slots[input].type || plan_.IsConstant(input)) continue;
    request_.unknown->values.emplace_back(input, *plan_.slots[input].type);
  }
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
    const auto constant = request_.constants.find(name);
    if (constant == request_.constants.end()) continue;
    slot.place = Slot::Place::kConstant;
    slot.constant = constant->second;
    slot.of_run = request_.constants_of_run.count(name) != 0;
  }
  return true;
}

// Takes the inputs of an inner graph.
void Planner::TakeGiven() {
  int number = 0;
  for (const auto& [value, given] : request_.given) {
    plan_.inputs.push_back(value);
    Slot& slot = plan_.slots[value];
    slot.place = given.constant ? Slot::Place::kConstant : Slot::Place::kInput;
    slot.type = given.type;
    slot.input = number++;
    if (given.constant) slot.constant = *given.constant;
    slot.of_run = given.of_run;
  }
}

// Makes an initializer a constant when it is first read.
bool Planner::TakeTensor(ValueId value) {
  Slot& slot = plan_.slots[value];
  const TensorId tensor = graph_.values[value].tensor;
  if (tensor == kNone || slot.place != Slot::Place::kUnused) return true;
  auto loaded = request_.binding->load(tensor);
  if (!loaded) {
    problem_ = loaded.status();
    return false;
  }
  slot.Hold(std::move(*loaded));
  return true;
}

// Returns the nodes that the outputs need and that are not planned yet, in topological order.
// Returns nullopt if there is a cycle.
std::optional<std::vector<NodeId>> Planner::Order(const std::vector<ValueId>& outputs) const {
  enum State : std::uint8_t { kNew, kOpen, kDone };
  std::vector<NodeId> order;
  std::vector<State> state(graph_.nodes.size(), kNew);
  std::vector<NodeId> stack;
  const auto producer = [&](ValueId value) {
    const bool given =
        value == kNone || request_.given.count(value) != 0 || request_.known.count(value) != 0;
    const bool planned = value != kNone && (plan_.slots[value].type || lists_.count(value) != 0);
    return given || planned ? kNone : graph_.values[value].producer;
  };
  for (const ValueId output : outputs) {
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
      std::vector<ValueId> inputs = graph_.nodes[node].inputs;
      const std::vector<ValueId> captured = CapturedValues(graph_, graph_.nodes[node]);
      inputs.insert(inputs.end(), captured.begin(), captured.end());
      for (const ValueId input : inputs) {
        const NodeId before = producer(input);
        if (before == kNone || state[before] == kDone) continue;
        if (state[before] == kOpen) return std::nullopt;
        stack.push_back(before);
      }
    }
  }
  return order;
}

// Chooses a kernel. First tries without floats of this run as constants, since they would not be
// known if the graph was planned in another way; if no kernel serves the call, tries with them.
ChosenKernel Planner::Choose(const KernelCall& bound, const std::vector<ValueId>& taken,
                             Call& call) const {
  Call without = call;
  for (std::size_t i = 0; i < call.constants.size(); ++i) {
    const ValueId value = bound.inputs[i] < 0 ? kNone : taken[bound.inputs[i]];
    if (value == kNone || !plan_.slots[plan_.Root(value)].of_run) continue;
    if (IsFloat(call.inputs[i]->dtype)) without.constants[i] = nullptr;
  }
  if (without.constants != call.constants) {
    ChosenKernel chosen = ChooseKernel(bound.kernel, without, kReference);
    if (chosen.entry != nullptr) {
      call = std::move(without);
      return chosen;
    }
  }
  return ChooseKernel(bound.kernel, call, kReference);
}

Call Planner::CallOf(const KernelCall& bound, const std::vector<ValueId>& taken,
                     const Node& node) const {
  Call call;
  for (const int input : bound.inputs) {
    const ValueId value = input < 0 ? kNone : taken[input];
    call.inputs.push_back(value == kNone ? std::nullopt : plan_.slots[value].type);
    call.constants.push_back(value == kNone ? nullptr : plan_.ConstantOf(value));
  }
  for (const auto& [input, shape] : bound.views) {
    call.inputs[input]->dimensions = shape;
  }
  call.outputs = bound.results.empty() ? node.outputs.size() : bound.results.size();
  call.parameters = bound.parameters;
  return call;
}

// Adds a cast of a value. Its slot follows those of the graph's values.
std::optional<ValueId> Planner::AddCast(ValueId from, Dtype to, bool raises) {
  Call call;
  call.inputs = {plan_.slots[from].type};
  call.constants = {plan_.ConstantOf(from)};
  call.parameters.Set("to", DtypeName(to));
  if (raises) call.parameters.Set("small", "raise");
  ChosenKernel chosen = ChooseKernel("Cast", call, kReference);
  if (chosen.entry == nullptr) {
    problem_ = chosen.prepared.refusal;
    return std::nullopt;
  }
  const ValueId id = plan_.AddSlot(from);
  PlannedStep step;
  step.kernel = chosen.entry;
  step.inputs = {from};
  step.call = std::move(call);
  step.outputs = {id};
  AddStep(plan_, std::move(step), std::move(chosen.prepared));
  return id;
}

// Returns the value if it has the wanted type, otherwise its cast, which is made once for all
// readers. Returns nullopt if the cast fails.
std::optional<ValueId> Planner::VersionOf(ValueId value, bool low) {
  const Dtype wanted = low ? request_.autocast->target : Dtype::kFloat32;
  if (!plan_.slots[value].type || plan_.slots[value].type->dtype == wanted) return value;
  const auto made = casts_.find(value);
  if (made != casts_.end()) return made->second;
  ValueId from = value;
  const NodeId producer = graph_.values[value].producer;
  // A parameter that was an integer is rounded once, directly from the integer.
  if (request_.autocast->plan.values[value].parameter && producer != kNone &&
      request_.given.count(value) == 0 && request_.known.count(value) == 0 &&
      graph_.nodes[producer].op == "Cast") {
    from = graph_.nodes[producer].inputs[0];
  }
  const bool raises = low && from == value && request_.autocast->plan.raises_small &&
                      request_.autocast->plan.values[value].parameter;
  const auto cast = AddCast(from, wanted, raises);
  if (cast) casts_[value] = *cast;
  return cast;
}

// Returns the version of the value that the node takes as its input.
std::optional<ValueId> Planner::Version(NodeId id, std::size_t input) {
  const ValueId value = graph_.nodes[id].inputs[input];
  if (request_.autocast == nullptr || value == kNone) return value;
  if (!request_.autocast->plan.values[value].float32) return value;
  return VersionOf(value, TakesLow(*request_.autocast, id, input, value));
}

// `taken`: the values that the call may take as inputs. Outputs for later calls of the node are
// appended.
bool Planner::PlanCall(NodeId id, const KernelCall& bound, std::vector<ValueId>& taken) {
  const Node& node = graph_.nodes[id];
  for (const int input : bound.inputs) {  // may be beyond the node's inputs
    if (input >= static_cast<int>(taken.size())) return Fail(id, MissingText(input));
  }
  for (const auto& [seen, shape] : bound.views) {
    const int input = seen < bound.inputs.size() ? bound.inputs[seen] : -1;
    if (input < 0 || taken[input] == kNone) return Fail(id, MissingText(seen));
  }
  Call call = CallOf(bound, taken, node);
  ChosenKernel chosen = Choose(bound, taken, call);
  if (chosen.entry == nullptr) return Fail(id, chosen.prepared.refusal);
  PlannedStep step;
  step.node = id;
  step.kernel = chosen.entry;
  for (const int input : bound.inputs) step.inputs.push_back(input < 0 ? kNone : taken[input]);
  std::vector<ValueId> outputs = bound.results.empty() ? node.outputs : std::vector<ValueId>();
  for (const int result : bound.results) {
    if (result == KernelCall::kForLaterCalls) taken.push_back(plan_.AddSlot());
    const bool known = result >= 0 && result < static_cast<int>(node.outputs.size());
    outputs.push_back(result == KernelCall::kForLaterCalls ? taken.back()
                      : known                              ? node.outputs[result]
                                                           : kNone);
  }
  if (std::all_of(outputs.begin(), outputs.end(), [](ValueId each) { return each == kNone; })) {
    return true;  // the result of this call is not needed
  }
  // If others see an output in another shape, that is a view of the kernel's output.
  for (const auto& [output, shape] : bound.shapes) {
    const std::size_t there = std::min(outputs.size(), chosen.prepared.outputs.size());
    if (output >= there || outputs[output] == kNone) continue;
    Slot& seen = plan_.slots[outputs[output]];
    seen.type = {chosen.prepared.outputs[output].dtype, shape};
    const ValueId given = plan_.AddSlot(outputs[output]);
    plan_.slots[outputs[output]].view_of = given;
    outputs[output] = given;
  }
  for (std::size_t i = chosen.prepared.outputs.size(); i < outputs.size(); ++i) {
    if (outputs[i] != kNone) return Fail(id, "the kernel does not compute all its outputs");
  }
  step.call = std::move(call);
  step.outputs = std::move(outputs);
  AddStep(plan_, std::move(step), std::move(chosen.prepared));
  return true;
}

namespace {

// Returns the entry for a step of control flow.
const KernelEntry& ControlFlowEntry(ControlFlow::Kind kind) {
  static const KernelEntry kBranch("If", "cpu");
  static const KernelEntry kRepeat("Loop", "cpu");
  return kind == ControlFlow::Kind::kIf ? kBranch : kRepeat;
}

}  // namespace

// Plans a node with inner graphs: one step that also takes the values that they use from outside;
// or, if lists are involved, the steps of its graphs.
bool Planner::PlanInner(NodeId id, const ControlFlow& flow, std::vector<ValueId> taken) {
  const Node& node = graph_.nodes[id];
  bool in_place = flow.kind == ControlFlow::Kind::kMap;
  taken.resize(node.inputs.size());
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (lists_.count(node.inputs[i]) == 0) continue;
    taken[i] = node.inputs[i];
    in_place = true;
  }
  for (const ValueId value : CapturedValues(graph_, node)) {
    taken.push_back(value);
    if (lists_.count(value) != 0) {
      in_place = true;
      continue;
    }
    if (!TakeTensor(value)) return Fail(id, problem_);
    if (!plan_.slots[value].type) return Fail(id, "a value that its graph uses has no producer");
  }
  if (in_place) return PlanInPlace(id, flow, taken);
  OuterValues outer;
  for (const ValueId value : taken) {
    auto& given = outer.emplace_back();
    if (value == kNone) continue;
    given = GivenValue{*plan_.slots[value].type};
    if (!plan_.IsConstant(value)) continue;
    given->of_run = plan_.slots[plan_.Root(value)].of_run;
    given->constant = plan_.slots[plan_.Root(value)].constant;
    given->constant->type = given->type;
  }
  std::shared_ptr<RecordedPlan> inner;
  Prepared prepared;
  if (request_.shown == nullptr) {
    prepared = request_.binding->prepare_control_flow(request_, flow, outer);
  } else {
    inner = std::make_shared<RecordedPlan>();
    PlanRequest request = request_;
    request.shown = inner.get();
    prepared = request_.binding->prepare_control_flow(request, flow, outer);
  }
  if (prepared.refusal.code == StatusCode::kGivesList) return PlanInPlace(id, flow, taken);
  if (!prepared.refusal.ok()) return Fail(id, prepared.refusal);
  PlannedStep step;
  step.node = id;
  step.kernel = &ControlFlowEntry(flow.kind);
  step.inner = std::move(inner);
  step.inputs = std::move(taken);
  step.outputs = node.outputs;
  for (std::size_t i = 0; i < flow.results.size() && i < step.outputs.size(); ++i) {
    if (flow.results[i].input < 0) continue;
    Alias(step.outputs[i], step.inputs[static_cast<std::size_t>(flow.results[i].input)]);
    step.outputs[i] = kNone;
  }
  step.call.outputs = node.outputs.size();
  for (const ValueId value : step.inputs) {
    step.call.inputs.push_back(value == kNone ? std::nullopt : plan_.slots[value].type);
    step.call.constants.push_back(nullptr);
  }
  for (const std::size_t input : prepared.unread_inputs) step.inputs[input] = kNone;
  AddStep(plan_, std::move(step), std::move(prepared));
  return true;
}

void Planner::TakeList(std::size_t input, const ListedValue& list, NodeInputs& inputs,
                       std::vector<ValueId>& taken) const {
  inputs.lists[input] = {taken.size(), list.elements.size(), list.is_empty_optional};
  for (const ValueId element : list.elements) {
    taken.push_back(element);
    inputs.types.push_back(plan_.slots[element].type);
    inputs.constants.push_back(plan_.ConstantOf(element));
  }
}

bool Planner::TakeNodeInputs(NodeId id, NodeInputs& inputs, std::vector<ValueId>& taken) {
  const Node& node = graph_.nodes[id];
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (lists_.count(node.inputs[i]) != 0) {
      taken.push_back(kNone);
      inputs.types.emplace_back();
      inputs.constants.push_back(nullptr);
      continue;
    }
    if (node.inputs[i] != kNone && !TakeTensor(node.inputs[i])) return Fail(id, problem_);
    const auto input = Version(id, i);
    if (!input) return Fail(id, problem_);
    if (*input != kNone && !plan_.slots[*input].type) return Fail(id, "its input has no producer");
    taken.push_back(*input);
    inputs.types.push_back(*input == kNone ? std::nullopt : plan_.slots[*input].type);
    inputs.constants.push_back(*input == kNone ? nullptr : plan_.ConstantOf(*input));
  }
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto list = lists_.find(node.inputs[i]);
    if (list != lists_.end()) TakeList(i, list->second, inputs, taken);
  }
  return true;
}

bool Planner::PlanNode(NodeId id) {
  const Node& node = graph_.nodes[id];
  if (graph_.Called(node) != kNone) return Fail(id, "it calls a function of the model");
  NodeInputs inputs;
  inputs.node = id;
  std::vector<ValueId> taken;
  if (!TakeNodeInputs(id, inputs, taken)) return false;
  if (request_.binding->control_flow) {
    const auto flow = request_.binding->control_flow(id);
    if (flow) return PlanInner(id, *flow, std::move(taken));
  }
  LoweredNode bound = request_.binding->bind(inputs);
  if (!bound.problem.ok()) return Fail(id, bound.problem);
  for (std::size_t i = 0; i < bound.constants.size() && i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNone) continue;
    plan_.slots[node.outputs[i]].Hold(std::move(bound.constants[i]));
  }
  for (ConstantTensor& operand : bound.operands) {
    taken.push_back(plan_.AddSlot());
    plan_.slots[taken.back()].Hold(std::move(operand));
  }
  for (const KernelCall& call : bound.before) {
    if (!PlanCall(id, call, taken)) return false;
  }
  if (bound.list && !node.outputs.empty() && node.outputs[0] != kNone) {
    ListedValue& list = lists_[node.outputs[0]];
    list.is_empty_optional = bound.is_empty_optional;
    for (const int element : *bound.list) list.elements.push_back(taken[element]);
  }
  return bound.kernel.empty() || PlanCall(id, bound, taken);
}

// Replaces a list output by its elements, if the request accepts lists.
bool Planner::TakeList(std::size_t output) {
  const ValueId value = plan_.outputs[output];
  if (!request_.lists_as_outputs) {
    problem_ = {StatusCode::kGivesList,
                "the output '" + std::string(graph_.values[value].name) +
                    "' is a sequence or an optional, not a tensor: make its elements outputs "
                    "of the model"};
    return false;
  }
  const ListedValue& list = lists_.at(value);
  plan_.output_lists.push_back({output, list.elements.size(), list.is_empty_optional});
  const auto at = plan_.outputs.begin() + static_cast<std::ptrdiff_t>(output);
  plan_.outputs.insert(plan_.outputs.erase(at), list.elements.begin(), list.elements.end());
  return true;
}

// Goes backwards, since a list expands to as many outputs as it has elements.
bool Planner::TakeOutputs() {
  for (std::size_t i = plan_.outputs.size(); i-- > 0;) {
    if (!TakeTensor(plan_.outputs[i])) return false;
    if (lists_.count(plan_.outputs[i]) != 0) {
      if (!TakeList(i)) return false;
      continue;
    }
    const auto version = TakenAs(plan_.outputs[i], request_.scope, i);
    if (!version) return false;
    plan_.outputs[i] = *version;
  }
  std::reverse(plan_.output_lists.begin(), plan_.output_lists.end());
  return true;
}

// Sets the lists of elements that are not values of the graph themselves.
void Planner::NameElements() {
  for (const auto& [value, list] : lists_) {
    for (std::size_t i = 0; i < list.elements.size(); ++i) {
      Slot& slot = plan_.slots[list.elements[i]];
      if (static_cast<std::size_t>(list.elements[i]) < graph_.values.size()) continue;
      if (slot.version_of != kNone) continue;
      slot.version_of = value;
      slot.element = static_cast<int>(i);
    }
  }
}

// Returns the version of a value that a graph gives as its output. Returns nullopt, with a problem,
// if no node computes it.
std::optional<ValueId> Planner::TakenAs(ValueId value, ScopeId scope, std::size_t output) {
  if (!plan_.slots[value].type) {
    problem_ = "no node computes the output '" + std::string(graph_.values[value].name) + "'";
    return std::nullopt;
  }
  if (request_.autocast == nullptr || !request_.wanted.empty()) return value;
  if (!request_.autocast->plan.values[value].float32) return value;
  return VersionOf(value, OutputIsLow(*request_.autocast, scope, output, value));
}

std::optional<ExecutionPlan> Planner::Run(bool is_plain) {
  const double begin = request_.watch == nullptr ? 0 : ClockSeconds();
  plan_.slots.resize(graph_.values.size());
  plan_.outputs = request_.wanted.empty() ? graph_.scopes[request_.scope].outputs : request_.wanted;
  const auto order = Order(plan_.outputs);
  if (!order) {
    problem_ = "the graph has a cycle";
    return std::nullopt;
  }
  if (request_.scope != 0) {
    TakeGiven();
  } else if (!TakeInputs()) {
    return std::nullopt;
  }
  for (const auto& [value, tensor] : request_.known) {
    plan_.slots[value].Hold(tensor);
    plan_.slots[value].of_run = true;
  }
  for (const NodeId node : *order) {
    if (const char* why = WhyToStop()) {
      problem_ = why;
      return std::nullopt;
    }
    if (!PlanNode(node)) return std::nullopt;
  }
  NameElements();
  if (!TakeOutputs()) return std::nullopt;
  if (request_.watch != nullptr) {
    (*request_.watch)(request_, "lower", ClockSeconds() - begin, plan_);
  }
  PlanContext context{request_, plan_, problem_};
  context.is_plain = is_plain;
  const bool done = RunPasses(context);
  must_be_plain_ = context.must_be_plain;
  if (!done) return std::nullopt;
  return std::move(plan_);
}

std::optional<ExecutionPlan> MakeExecutionPlan(const PlanRequest& request, Status& problem) {
  {
    Planner planner(request, problem);
    std::optional<ExecutionPlan> plan = planner.Run(false);
    if (plan || !planner.must_be_plain()) return plan;
  }
  return Planner(request, problem).Run(true);
}

}  // namespace opledger
