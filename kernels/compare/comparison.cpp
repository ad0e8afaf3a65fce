// Matches values by name: a conversion keeps names, and connects another version of a value to it
// by a cast.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/comparison.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "kernels/compare/matched_rows.h"
#include "kernels/kernel/step_problem.h"
#include "kernels/machine/memory_limit.h"
#include "kernels/model/staged_plan.h"

namespace opledger {
namespace {

bool IsFloatCast(const ExecutionPlan& plan, const PlannedStep& step) {
  if (step.kernel->name() != "Cast") return false;
  const auto& from = plan.slots[step.inputs[0]].type;
  const auto& to = plan.slots[step.outputs[0]].type;
  return from && to && IsFloat(from->dtype) && IsFloat(to->dtype);
}

constexpr KernelChoice kOfNodes = {true};  // every node is a step

class Comparer {
 public:
  // Adds to `comparison`. `known`: values of the graph that earlier stages computed.
  Comparer(const ComparedModels& models, const FirstRun& first, const ExecutionPlan& plan,
           std::set<ValueId>& known, Comparison& comparison)
      : models_(models), first_(first), plan_(plan), known_(known), comparison_(comparison) {
    MatchValues();
  }

  // Runs the model and compares every step.
  void Run(Executor& executor, const std::vector<const void*>& inputs);
  std::string AddOutputs(const Executor& executor);

 private:
  void AddStep(const Executor& executor, const PlannedStep& step);
  void AddComputed(const Executor& executor);
  void AddValue(const Executor& executor, const PlannedStep& step, ValueId output,
                std::optional<TensorError> own);
  void MatchValues();
  bool Fits(ValueId second, ValueId first) const;
  ValueId ExactOf(ValueId value) const;
  bool IsAdded(const PlannedStep& step) const;
  bool IsExact(ValueId value) const;
  bool IsPlannedAstray(const PlannedStep& step) const;
  bool ReadsNumbersOfRun(const PlannedStep& step) const;
  std::optional<Prepared> WithoutNumbersOfRun(const PlannedStep& step) const;
  std::optional<ConstantTensor> ExactInput(ValueId value) const;
  std::vector<std::optional<TensorError>> OwnErrors(const PlannedStep& step) const;

  const ComparedModels& models_;
  const FirstRun& first_;
  const ExecutionPlan& plan_;
  std::vector<ValueId> exact_;  // the first model's value of each slot; kNone: it has none
  std::set<ValueId>& known_;
  Comparison& comparison_;
};

// Returns whether the two values can be compared.
bool Comparer::Fits(ValueId second, ValueId first) const {
  const ConstantTensor& exact = first_.exact[first];
  const auto& type = plan_.slots[second].type;
  if (exact.data == nullptr || !type) return false;
  if (!CanMatch(type->dimensions, exact.type.dimensions)) return false;
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
  // A kernel may produce a value in another shape; the elements are the same.
  for (std::size_t i = 0; i < models_.second->values.size(); ++i) {
    const ValueId root = plan_.Root(static_cast<ValueId>(i));
    if (exact_[i] != kNone && exact_[root] == kNone) exact_[root] = exact_[i];
  }
  const auto pass_on = [&](ValueId from, ValueId to) {
    if (exact_[to] == kNone && exact_[from] != kNone && Fits(to, exact_[from])) {
      exact_[to] = exact_[from];
    }
  };
  for (const auto* steps : {&plan_.computed, &plan_.steps}) {
    for (const PlannedStep& step : *steps) {
      if (IsFloatCast(plan_, step)) pass_on(step.inputs[0], step.outputs[0]);
    }
  }
  for (auto step = plan_.steps.rbegin(); step != plan_.steps.rend(); ++step) {
    if (IsFloatCast(plan_, *step)) pass_on(step->outputs[0], step->inputs[0]);
  }
}

// The first model's value for a value, or for the one that it is a view of.
ValueId Comparer::ExactOf(ValueId value) const {
  while (exact_[value] == kNone && plan_.slots[value].view_of != kNone) {
    value = plan_.slots[value].view_of;
  }
  return exact_[value];
}

// Returns whether the step is a cast that the first model does not have.
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

// The step's input without errors of earlier steps; constants are the model's own. Returns nullopt
// if the first model has no such value, or one with another number of elements.
std::optional<ConstantTensor> Comparer::ExactInput(ValueId value) const {
  const Slot& root = plan_.slots[plan_.Root(value)];
  if (root.place == Slot::Place::kConstant && !root.of_run) return root.constant;
  const ValueId exact = ExactOf(value);
  if (exact == kNone) return std::nullopt;
  const TensorType& type = *plan_.slots[value].type;
  if (Elements(first_.exact[exact].type.dimensions) != Elements(type.dimensions)) {
    return std::nullopt;
  }
  return Downcast(first_.exact[exact], type.dtype);
}

// Returns whether the value is unaffected by errors of earlier steps.
bool Comparer::IsExact(ValueId value) const {
  const auto exact = ExactInput(value);
  const Slot& root = plan_.slots[plan_.Root(value)];
  return exact && std::memcmp(exact->data.get(), root.constant.data.get(), Bytes(exact->type)) == 0;
}

// Returns whether the step was planned with values of this run, such as indices or a condition,
// that errors have changed. Floats that it reads at run time do not count: it can be run on exact
// ones.
bool Comparer::IsPlannedAstray(const PlannedStep& step) const {
  const auto& inputs = models_.second->nodes[step.node].inputs;
  return std::any_of(inputs.begin(), inputs.end(), [&](ValueId input) {
    if (input == kNone) return false;
    const Slot& root = plan_.slots[plan_.Root(input)];
    if (!root.of_run) return false;
    const bool is_read = std::any_of(step.inputs.begin(), step.inputs.end(), [&](ValueId read) {
      return read != kNone && ExactOf(read) != kNone && ExactOf(read) == ExactOf(input);
    });
    return !(is_read && IsFloat(root.type->dtype)) && !IsExact(input);
  });
}

bool Comparer::ReadsNumbersOfRun(const PlannedStep& step) const {
  return std::any_of(step.inputs.begin(), step.inputs.end(), [&](ValueId input) {
    return input != kNone && plan_.slots[plan_.Root(input)].of_run;
  });
}

// Prepares the step for any floats instead of those it was planned with. Returns nullopt if the
// shapes of its outputs depend on them.
std::optional<Prepared> Comparer::WithoutNumbersOfRun(const PlannedStep& step) const {
  Call call = step.call;
  call.constants.assign(call.inputs.size(), nullptr);
  for (std::size_t i = 0; i < std::min(step.inputs.size(), call.inputs.size()); ++i) {
    if (step.inputs[i] == kNone) continue;
    const Slot& root = plan_.slots[plan_.Root(step.inputs[i])];
    if (!root.of_run || !IsFloat(root.type->dtype)) call.constants[i] = root.constant.data.get();
  }
  ChosenKernel chosen = ChooseKernel(step.kernel->name(), call, kOfNodes);
  if (chosen.entry == nullptr || chosen.prepared.is_view) return std::nullopt;
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] == kNone) continue;
    if (i >= chosen.prepared.outputs.size()) return std::nullopt;
    if (chosen.prepared.outputs[i] != *plan_.slots[step.outputs[i]].type) return std::nullopt;
  }
  return std::move(chosen.prepared);
}

std::vector<std::optional<TensorError>> Comparer::OwnErrors(const PlannedStep& step) const {
  std::vector<std::optional<TensorError>> errors(step.outputs.size());
  if (IsPlannedAstray(step)) return errors;
  std::optional<Prepared> again;
  if (ReadsNumbersOfRun(step)) {
    again = WithoutNumbersOfRun(step);
    if (!again) return errors;
  }
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
  const AlignedBytes workspace = AllocateAligned(again ? again->workspace : step.workspace);
  (again ? again->run : step.run)(inputs.data(), outputs.data(), workspace.get());
  TakeStepProblem();  // reported by the model's own run
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const ValueId output = step.outputs[i];
    if (output == kNone || exact_[output] == kNone) continue;
    errors[i] = ErrorByContent(*plan_.slots[output].type, outputs[i], first_.exact[exact_[output]]);
  }
  return errors;
}

void Comparer::AddValue(const Executor& executor, const PlannedStep& step, ValueId output,
                        std::optional<TensorError> own) {
  NodeError node;
  node.id = step.node;
  const Node& plain = models_.second->nodes[step.node];
  node.op = QualifiedName(plain.domain, plain.op);
  const ValueId exact = exact_[output];
  const NodeId producer = models_.first->values[exact].producer;
  node.node =
      producer == kNone ? models_.second->NameOf(step.node) : models_.first->NameOf(producer);
  node.value = models_.first->values[exact].name;
  node.error =
      ErrorByContent(*plan_.slots[output].type, executor.Data(output), first_.exact[exact]);
  node.own = own;
  const ConstantTensor& first = first_.own[exact];
  if (first.data != nullptr) {
    node.first = ErrorByContent(first.type, first.data.get(), first_.exact[exact]);
  }
  if (node.error.not_finite != 0 && !comparison_.first_overflow) {
    comparison_.first_overflow = comparison_.nodes.size();
  }
  comparison_.nodes.push_back(std::move(node));
}

void Comparer::AddStep(const Executor& executor, const PlannedStep& step) {
  if (IsAdded(step)) return;
  std::vector<std::optional<TensorError>> own;
  bool matched = false;
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    const ValueId output = step.outputs[i];
    if (output == kNone) continue;
    if (known_.count(output) != 0) return;
    if (exact_[output] == kNone) continue;
    matched = true;
    // Integers are reported only if their count differs.
    const TensorType& type = *plan_.slots[output].type;
    const bool counts_differ =
        Elements(type.dimensions) != Elements(first_.exact[exact_[output]].type.dimensions);
    if (!IsFloat(type.dtype) && !counts_differ) continue;
    if (own.empty()) own = OwnErrors(step);
    AddValue(executor, step, output, own[i]);
  }
  if (!matched) ++comparison_.unmatched;
}

// Adds the steps that were run while the plan was made.
void Comparer::AddComputed(const Executor& executor) {
  for (const PlannedStep& step : plan_.computed) {
    const bool is_matched =
        std::any_of(step.outputs.begin(), step.outputs.end(),
                    [&](ValueId output) { return output != kNone && exact_[output] != kNone; });
    if (is_matched) AddStep(executor, step);
  }
}

void Comparer::Run(Executor& executor, const std::vector<const void*>& inputs) {
  AddComputed(executor);
  executor.Run(inputs, [&](const PlannedStep& step) { AddStep(executor, step); });
  const auto end = static_cast<ValueId>(models_.second->values.size());
  for (const auto* steps : {&plan_.computed, &plan_.steps}) {
    for (const PlannedStep& step : *steps) {
      for (const ValueId output : step.outputs) {
        if (output != kNone && output < end) known_.insert(output);
      }
    }
  }
}

// Returns an error message, or an empty string.
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
    comparison_.outputs.push_back(
        {name, ErrorByContent(*plan_.slots[value].type, executor.Data(value), exact),
         ErrorByContent(own.type, own.data.get(), exact)});
  }
  return {};
}

// Converts inputs to the types that a model takes.
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

StatusOr<Executor> PlanFor(const PlanRequest& plain, const ModelInputs& inputs,
                           const RunStage& run) {
  PlanRequest request = plain;
  inputs.Describe(request);
  Status problem;
  auto plan = MakeStagedPlan(request, inputs, problem, nullptr, run);
  if (!plan) return StatusText(*request.graph, problem);
  return Executor(std::move(*plan));
}

// Records every value of a run, including those of its stages.
class Recorder {
 public:
  explicit Recorder(const Graph& graph) : graph_(graph), values_(graph.values.size()) {}

  // Runs the model, and keeps its values if there is memory for all of them.
  void Run(Executor& executor, const std::vector<const void*>& inputs) {
    const std::size_t bytes = RecordedBytes(executor.plan());
    if (bytes > MemoryLeft()) {
      if (status_.ok()) status_ = "keeping all of its values needs " + TooMuchMemory(bytes);
      return executor.Run(inputs);
    }
    RecordedValues values = RunAndRecord(executor, inputs);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values[i].data != nullptr) values_[i] = std::move(values[i]);
    }
    if (!executor.status().ok()) status_ = executor.ProblemText(graph_);
  }

  const Status& status() const { return status_; }
  RecordedValues Take() { return std::move(values_); }

 private:
  const Graph& graph_;
  RecordedValues values_;
  Status status_;
};

StatusOr<RecordedValues> Record(const PlanRequest& request, const ModelInputs& inputs) {
  Recorder recorder(*request.graph);
  const auto run = [&](Executor& executor, const std::vector<const void*>& given) {
    recorder.Run(executor, given);
  };
  auto executor = PlanFor(request, inputs, run);
  if (!executor) return executor.status();
  recorder.Run(*executor, inputs.For(executor->plan(), *request.graph));
  if (!recorder.status().ok()) return recorder.status();
  return recorder.Take();
}

StatusOr<std::vector<ConstantTensor>> OutputsOf(const PlanRequest& request,
                                                const ModelInputs& inputs) {
  auto executor = PlanFor(request, inputs, {});
  if (!executor) return executor.status();
  const ExecutionPlan& plan = executor->plan();
  executor->Run(inputs.For(plan, *request.graph));
  if (!executor->status().ok()) return executor->ProblemText(*request.graph);
  std::vector<ConstantTensor> outputs;
  for (const ValueId output : plan.outputs) {
    ConstantTensor& copy = outputs.emplace_back(*plan.slots[output].type);
    if (const std::size_t bytes = Bytes(copy.type); bytes != 0) {
      std::memcpy(copy.data.get(), executor->Data(output), bytes);
    }
  }
  return outputs;
}

}  // namespace

StatusOr<FirstRun> RunFirst(const ComparedModels& models, ModelInputs inputs, bool outputs_only) {
  FirstRun run;
  run.inputs = std::move(inputs);
  const Float64Oracle wide = MakeFloat64Oracle(*models.first, *models.first_binding);
  const ModelInputs wide_inputs = UpcastInputs(run.inputs);
  auto exact = Record({&wide.graph, &wide.binding, {}, {true}, nullptr, {}}, wide_inputs);
  if (!exact) return "in float64: " + exact.status().message;
  run.exact = std::move(*exact);
  run.own.resize(models.first->values.size());
  if (!outputs_only) {
    auto own = Record({models.first, models.first_binding, {}, kOfNodes, nullptr, {}}, run.inputs);
    if (!own) return own.status();
    run.own = std::move(*own);
  }
  auto outputs =
      OutputsOf({models.first, models.first_binding, {}, models.choice, nullptr, {}}, run.inputs);
  if (!outputs) return outputs.status();
  run.outputs = std::move(*outputs);
  return run;
}

namespace {

// Adds the errors of the second model's nodes, of its outputs, or of both.
Status AddErrors(const ComparedModels& models, const FirstRun& first, const ModelInputs& inputs,
                 const KernelChoice& choice, bool nodes, bool outputs, Comparison& comparison) {
  std::set<ValueId> known;
  const auto run = [&](Executor& executor, const std::vector<const void*>& given) {
    if (!nodes) return executor.Run(given);
    Comparer(models, first, executor.plan(), known, comparison).Run(executor, given);
  };
  auto executor =
      PlanFor({models.second, models.second_binding, {}, choice, models.autocast, {}}, inputs, run);
  if (!executor) return executor.status();
  run(*executor, inputs.For(executor->plan(), *models.second));
  if (!executor->status().ok()) return executor->ProblemText(*models.second);
  if (!outputs) return {};
  Comparer comparer(models, first, executor->plan(), known, comparison);
  return comparer.AddOutputs(*executor);
}

}  // namespace

StatusOr<Comparison> CompareModels(const ComparedModels& models, const FirstRun& run,
                                   bool outputs_only) {
  const ModelInputs inputs = InputsFor(*models.second, UpcastInputs(run.inputs));
  Comparison comparison;
  const bool once = models.choice.reference_only;
  Status status;
  if (!outputs_only) {
    status = AddErrors(models, run, inputs, kOfNodes, true, once, comparison);
  }
  if (status.ok() && (outputs_only || !once)) {
    status = AddErrors(models, run, inputs, models.choice, false, true, comparison);
  }
  if (!status.ok()) return "the second model: " + status.message;
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

// Orders by infinities first, then by the node's own error.
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

double WorstOutput(const Graph& first, const FirstRun& run) {
  double worst = 0;
  for (std::size_t i = 0; i < run.outputs.size(); ++i) {
    const ConstantTensor& own = run.outputs[i];
    const ConstantTensor& exact = run.exact[first.scopes[0].outputs[i]];
    worst = std::max(worst, Weight(ErrorByContent(own.type, own.data.get(), exact)));
  }
  return worst;
}

}  // namespace opledger
