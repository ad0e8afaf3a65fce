// Values are matched by name: a conversion keeps them, and where it makes another version of one, a
// cast stands between the two.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/comparison.h"

#include <algorithm>
#include <cstring>

#include "kernels/kernel/step_problem.h"
#include "kernels/machine/memory_limit.h"

namespace opledger {
namespace {

bool IsFloatCast(const ExecutionPlan& plan, const PlannedStep& step) {
  return step.kernel->name() == "Cast" && IsFloat(plan.slots[step.inputs[0]].type->dtype) &&
         IsFloat(plan.slots[step.outputs[0]].type->dtype);
}

class Comparer {
 public:
  // Adds to `comparison`.
  Comparer(const ComparedModels& models, const FirstRun& first, const ExecutionPlan& plan,
           Comparison& comparison)
      : models_(models), first_(first), plan_(plan), comparison_(comparison) {
    MatchValues();
  }

  void AddStep(const Executor& executor, const PlannedStep& step);
  std::string AddOutputs(const Executor& executor);

 private:
  void MatchValues();
  bool Fits(ValueId second, ValueId first) const;
  ValueId ExactOf(ValueId value) const;
  bool IsAdded(const PlannedStep& step) const;
  std::optional<ConstantTensor> ExactInput(ValueId value) const;
  std::vector<std::optional<TensorError>> OwnErrors(const PlannedStep& step) const;

  const ComparedModels& models_;
  const FirstRun& first_;
  const ExecutionPlan& plan_;
  std::vector<ValueId> exact_;  // of each slot: the first model's value; kNone: it has none
  Comparison& comparison_;
};

// Whether the numbers of the two can be held against each other.
bool Comparer::Fits(ValueId second, ValueId first) const {
  const ConstantTensor& exact = first_.exact[first];
  const auto& type = plan_.slots[second].type;
  if (exact.data == nullptr || !type || type->dimensions != exact.type.dimensions) return false;
  return IsFloat(type->dtype) ? exact.type.dtype == Dtype::kFloat64
                              : exact.type.dtype == type->dtype;
}

void Comparer::MatchValues() {
  exact_.assign(plan_.slots.size(), kNone);
  const auto& names = models_.first->names[0];
  for (std::size_t i = 0; i < models_.second->values.size(); ++i) {
    const Value& value = models_.second->values[i];
    const auto found = value.scope == 0 ? names.find(value.name) : names.end();
    const auto id = static_cast<ValueId>(i);
    if (found != names.end() && Fits(id, found->second)) exact_[id] = found->second;
  }
  // What a kernel gives in another shape than the graph has it: the same numbers.
  for (std::size_t i = 0; i < models_.second->values.size(); ++i) {
    const ValueId root = plan_.Root(static_cast<ValueId>(i));
    if (exact_[i] != kNone && exact_[root] == kNone) exact_[root] = exact_[i];
  }
  const auto pass_on = [&](ValueId from, ValueId to) {
    if (exact_[to] == kNone && exact_[from] != kNone && Fits(to, exact_[from])) {
      exact_[to] = exact_[from];
    }
  };
  for (const PlannedStep& step : plan_.steps) {
    if (IsFloatCast(plan_, step)) pass_on(step.inputs[0], step.outputs[0]);
  }
  for (auto step = plan_.steps.rbegin(); step != plan_.steps.rend(); ++step) {
    if (IsFloatCast(plan_, *step)) pass_on(step->outputs[0], step->inputs[0]);
  }
}

// Of the value, or of the one whose memory it has.
ValueId Comparer::ExactOf(ValueId value) const {
  while (exact_[value] == kNone && plan_.slots[value].view_of != kNone) {
    value = plan_.slots[value].view_of;
  }
  return exact_[value];
}

// Whether the step is a cast that the first model does not have.
bool Comparer::IsAdded(const PlannedStep& step) const {
  if (step.node == kNone) return true;
  const auto known = static_cast<ValueId>(models_.second->values.size());
  if (!IsFloatCast(plan_, step) || step.outputs[0] >= known) return false;
  const auto& names = models_.first->names[0];
  const auto found = names.find(models_.second->values[step.outputs[0]].name);
  if (found == names.end()) return true;
  const NodeId producer = models_.first->values[found->second].producer;
  return producer == kNone ||
         models_.first->nodes[producer].op != models_.second->nodes[step.node].op;
}

// What the step would be given if nothing had gone astray before it; constants are its own.
std::optional<ConstantTensor> Comparer::ExactInput(ValueId value) const {
  const Slot& root = plan_.slots[plan_.Root(value)];
  if (root.place == Slot::Place::kConstant) return root.constant;
  const ValueId exact = ExactOf(value);
  if (exact == kNone) return std::nullopt;
  return Downcast(first_.exact[exact], plan_.slots[value].type->dtype);
}

std::vector<std::optional<TensorError>> Comparer::OwnErrors(const PlannedStep& step) const {
  std::vector<std::optional<TensorError>> errors(step.outputs.size());
  std::vector<ConstantTensor> kept;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (const ValueId input : step.inputs) {
    inputs.push_back(nullptr);
    if (input == kNone) continue;
    auto exact = ExactInput(input);
    if (!exact) return errors;
    inputs.back() = exact->data.get();
    kept.push_back(std::move(*exact));
  }
  for (const ValueId output : step.outputs) {
    outputs.push_back(nullptr);
    if (output == kNone) continue;
    kept.emplace_back(*plan_.slots[output].type);
    outputs.back() = kept.back().data.get();
  }
  const AlignedBytes workspace = AllocateAligned(step.workspace);
  step.run(inputs.data(), outputs.data(), workspace.get());
  TakeStepProblem();  // the model's own run says it
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const ValueId output = step.outputs[i];
    if (output == kNone || exact_[output] == kNone) continue;
    errors[i] = ErrorOf(*plan_.slots[output].type, outputs[i], first_.exact[exact_[output]]);
  }
  return errors;
}

void Comparer::AddStep(const Executor& executor, const PlannedStep& step) {
  if (IsAdded(step)) return;
  std::vector<std::optional<TensorError>> own;
  bool matched = false;
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    const ValueId output = step.outputs[i];
    if (output == kNone || exact_[output] == kNone) continue;
    matched = true;
    const TensorType& type = *plan_.slots[output].type;
    if (!IsFloat(type.dtype)) continue;
    if (own.empty()) own = OwnErrors(step);
    NodeError node;
    node.id = step.node;
    const Node& plain = models_.second->nodes[step.node];
    node.op = QualifiedName(plain.domain, plain.op);
    const ValueId exact = exact_[output];
    const NodeId producer = models_.first->values[exact].producer;
    node.node =
        producer == kNone ? models_.second->NameOf(step.node) : models_.first->NameOf(producer);
    node.value = models_.first->values[exact].name;
    node.error = ErrorOf(type, executor.Data(output), first_.exact[exact]);
    node.own = own[i];
    const ConstantTensor& first = first_.own[exact];
    if (first.data != nullptr)
      node.first = ErrorOf(first.type, first.data.get(), first_.exact[exact]);
    if (node.error.not_finite != 0 && !comparison_.first_overflow) {
      comparison_.first_overflow = comparison_.nodes.size();
    }
    comparison_.nodes.push_back(std::move(node));
  }
  if (!matched) ++comparison_.unmatched;
}

// What is wrong; empty: nothing.
std::string Comparer::AddOutputs(const Executor& executor) {
  const Graph& first = *models_.first;
  const Graph& second = *models_.second;
  const auto& outputs = first.scopes[0].outputs;
  const auto& others = second.scopes[0].outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const ValueId output = outputs[i];
    const std::string name(first.values[output].name);
    const auto named_so = [&](ValueId other) { return second.values[other].name == name; };
    const auto found = models_.outputs_in_order && others.size() == outputs.size()
                           ? others.begin() + static_cast<std::ptrdiff_t>(i)
                           : std::find_if(others.begin(), others.end(), named_so);
    if (found == others.end()) return "the second model has no output '" + name + "'";
    const ValueId value = plan_.outputs[static_cast<std::size_t>(found - others.begin())];
    if (!Fits(value, output)) {
      return "the output '" + name + "' is " + Text(*plan_.slots[value].type) +
             " in the second model, and " + Text(first_.outputs[i].type) + " in the first";
    }
    const ConstantTensor& own = first_.outputs[i];
    const ConstantTensor& exact = first_.exact[output];
    comparison_.outputs.push_back({name,
                                   ErrorOf(*plan_.slots[value].type, executor.Data(value), exact),
                                   ErrorOf(own.type, own.data.get(), exact)});
  }
  return {};
}

// The inputs in the types that a model takes them in.
ModelInputs InputsFor(const Graph& graph, const ModelInputs& wide) {
  ModelInputs inputs = wide;
  for (const ValueId input : RequiredInputs(graph)) {
    const auto found = inputs.tensors.find(std::string(graph.values[input].name));
    const ValueType& type = graph.values[input].type;
    if (found == inputs.tensors.end() || !type.dtype) continue;
    found->second = Downcast(found->second, *type.dtype);
  }
  return inputs;
}

ModelInputs UpcastInputs(const ModelInputs& inputs) {
  ModelInputs wide = inputs;
  for (auto& [name, tensor] : wide.tensors) tensor = Upcast(tensor);
  return wide;
}

std::optional<Executor> PlanFor(const PlanRequest& plain, const ModelInputs& inputs,
                                std::string& problem) {
  PlanRequest request = plain;
  inputs.Describe(request);
  Refusal refusal;
  auto plan = MakeExecutionPlan(request, refusal);
  if (!plan) {
    problem = refusal.text;
    return std::nullopt;
  }
  return Executor(std::move(*plan));
}

// Runs it, and keeps every value; none, with a problem: there is no memory for all of them.
std::optional<RecordedValues> Record(Executor& executor, const ModelInputs& inputs,
                                     const Graph& graph, std::string& problem) {
  const std::size_t bytes = RecordedBytes(executor.plan());
  if (bytes > MemoryLeft()) {
    problem = "every value of it is kept: " + TooMuchMemory(bytes);
    return std::nullopt;
  }
  RecordedValues values = RunAndRecord(executor, inputs.For(executor.plan(), graph));
  if (executor.problem().empty()) return values;
  problem = executor.ProblemText(graph);
  return std::nullopt;
}

// None, with a problem.
std::optional<std::vector<ConstantTensor>> OutputsOf(const PlanRequest& request,
                                                     const ModelInputs& inputs,
                                                     std::string& problem) {
  auto executor = PlanFor(request, inputs, problem);
  if (!executor) return std::nullopt;
  const ExecutionPlan& plan = executor->plan();
  executor->Run(inputs.For(plan, *request.graph));
  if (!executor->problem().empty()) {
    problem = executor->ProblemText(*request.graph);
    return std::nullopt;
  }
  std::vector<ConstantTensor> outputs;
  for (const ValueId output : plan.outputs) {
    ConstantTensor& copy = outputs.emplace_back(*plan.slots[output].type);
    if (const std::size_t bytes = Bytes(copy.type); bytes != 0) {
      std::memcpy(copy.data.get(), executor->Data(output), bytes);
    }
  }
  return outputs;
}

constexpr KernelChoice kOfNodes = {true};  // every node is a step

}  // namespace

std::optional<FirstRun> RunFirst(const ComparedModels& models, ModelInputs inputs,
                                 std::string& problem) {
  FirstRun run;
  run.inputs = std::move(inputs);
  const Float64Oracle wide = MakeFloat64Oracle(*models.first, *models.first_binding);
  const ModelInputs wide_inputs = UpcastInputs(run.inputs);
  auto exact = PlanFor({&wide.graph, &wide.binding, {}, {true}, nullptr, {}}, wide_inputs, problem);
  if (!exact) {
    problem = "in float64: " + problem;
    return std::nullopt;
  }
  auto recorded = Record(*exact, wide_inputs, wide.graph, problem);
  if (!recorded) {
    problem = "in float64: " + problem;
    return std::nullopt;
  }
  run.exact = std::move(*recorded);
  auto own =
      PlanFor({models.first, models.first_binding, {}, kOfNodes, nullptr, {}}, run.inputs, problem);
  if (!own) return std::nullopt;
  recorded = Record(*own, run.inputs, *models.first, problem);
  if (!recorded) return std::nullopt;
  run.own = std::move(*recorded);
  own.reset();
  auto outputs = OutputsOf({models.first, models.first_binding, {}, models.choice, nullptr, {}},
                           run.inputs, problem);
  if (!outputs) return std::nullopt;
  run.outputs = std::move(*outputs);
  return run;
}

std::optional<Comparison> CompareModels(const ComparedModels& models, const FirstRun& run,
                                        bool outputs_only, std::string& problem) {
  const ModelInputs inputs = InputsFor(*models.second, UpcastInputs(run.inputs));
  // False, with a problem. `nodes`: whose errors are added to the comparison.
  Comparison comparison;
  const auto compare = [&](const KernelChoice& choice, bool nodes, bool outputs) {
    auto executor = PlanFor({models.second, models.second_binding, {}, choice, models.autocast, {}},
                            inputs, problem);
    if (!executor) return false;
    Comparer comparer(models, run, executor->plan(), comparison);
    const auto add = [&](const PlannedStep& step) { comparer.AddStep(*executor, step); };
    executor->Run(inputs.For(executor->plan(), *models.second),
                  nodes ? Executor::Done(add) : Executor::Done());
    problem = executor->problem().empty() ? "" : executor->ProblemText(*models.second);
    if (problem.empty() && outputs) problem = comparer.AddOutputs(*executor);
    return problem.empty();
  };
  const bool once = models.choice.reference_only;
  if ((!outputs_only && !compare(kOfNodes, true, once)) ||
      ((outputs_only || !once) && !compare(models.choice, false, true))) {
    problem = "the second model: " + problem;
    return std::nullopt;
  }
  return comparison;
}

void FirstRun::ForgetInnerValues(const Graph& first) {
  for (RecordedValues* values : {&exact, &own}) {
    RecordedValues outputs(values->size());
    for (const ValueId output : first.scopes[0].outputs) outputs[output] = (*values)[output];
    *values = std::move(outputs);
  }
}

namespace {

// Infinities first, then what the node does itself.
std::pair<bool, double> Badness(const NodeError& node) {
  const TensorError& error = node.own ? *node.own : node.error;
  return {node.error.not_finite != 0 || error.not_finite != 0, error.relative_l2};
}

}  // namespace

void TakeWorst(Comparison& worst, Comparison one) {
  for (std::size_t i = 0; i < worst.outputs.size() && i < one.outputs.size(); ++i) {
    if (Weight(one.outputs[i].error) > Weight(worst.outputs[i].error)) {
      worst.outputs[i] = std::move(one.outputs[i]);
    }
  }
  std::map<std::pair<NodeId, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < worst.nodes.size(); ++i) {
    places.emplace(std::pair(worst.nodes[i].id, worst.nodes[i].value), i);
  }
  for (std::size_t i = 0; i < one.nodes.size(); ++i) {
    const auto place = places.find({one.nodes[i].id, one.nodes[i].value});
    if (place == places.end()) continue;  // of a branch that only this sample takes
    const bool overflows = one.first_overflow == i;
    if (overflows && (!worst.first_overflow || *worst.first_overflow > place->second)) {
      worst.first_overflow = place->second;
      worst.nodes[place->second] = one.nodes[i];
    } else if (Badness(worst.nodes[place->second]) < Badness(one.nodes[i])) {
      worst.nodes[place->second] = std::move(one.nodes[i]);
    }
  }
}

double WorstOutput(const Comparison& comparison) {
  double worst = 0;
  for (const OutputError& output : comparison.outputs) {
    worst = std::max(worst, Weight(output.error));
  }
  return worst;
}

}  // namespace opledger
