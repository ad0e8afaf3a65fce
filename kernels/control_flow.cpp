// Inner graphs write to memory of their own; what leaves them is copied to where it is wanted.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/control_flow.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <set>

#include "kernels/executor.h"
#include "kernels/strided_copy.h"

namespace opledger {
namespace {

// An inner graph that is planned, and where its inputs come from, in the order of its plan.
struct InnerRun {
  std::unique_ptr<Executor> executor;
  std::vector<InnerInput> sources;
  std::vector<const void*> data;

  const TensorType& OutputType(std::size_t output) const {
    const ExecutionPlan& plan = executor->plan();
    return *plan.slots[plan.outputs[output]].type;
  }
  const void* Output(std::size_t output) const {
    return executor->Data(executor->plan().outputs[output]);
  }
  std::size_t Arena() const { return AlignedSize(executor->plan().arena); }
  // The one number of an output that is the same in every run; none: it is not, or no bool.
  std::optional<bool> KnownTruth(std::size_t output) const {
    const ExecutionPlan& plan = executor->plan();
    const void* known = plan.ConstantOf(plan.outputs[output]);
    if (known == nullptr || OutputType(output).dtype != Dtype::kBool) return std::nullopt;
    return *static_cast<const std::uint8_t*>(known) != 0;
  }
};

using TypeOfSource = std::function<std::optional<GivenValue>(const InnerInput&)>;

// None, with a problem.
std::shared_ptr<InnerRun> PlanInner(const PlanRequest& outer, const InnerGraph& graph,
                                    const TypeOfSource& type_of, std::string& problem) {
  PlanRequest request{outer.graph, outer.binding, {}, outer.choice, outer.autocast, {}};
  request.scope = graph.scope;
  request.record = outer.record;
  request.replay = outer.replay;
  std::map<ValueId, InnerInput> sources;
  for (const InnerInput& input : graph.inputs) {
    auto given = type_of(input);
    if (!given) continue;
    request.given.emplace(input.value, std::move(*given));
    sources[input.value] = input;
  }
  auto plan = MakeExecutionPlan(request, problem);
  if (!plan) return nullptr;
  auto run = std::make_shared<InnerRun>();
  for (const ValueId input : plan->inputs) run->sources.push_back(sources[input]);
  run->data.resize(run->sources.size());
  run->executor = std::make_unique<Executor>(std::move(*plan), Executor::Arena::kLent);
  return run;
}

TypeOfSource OuterTypes(const std::vector<std::optional<GivenValue>>& outer) {
  return [&outer](const InnerInput& input) -> std::optional<GivenValue> {
    return input.index < outer.size() ? outer[input.index] : std::nullopt;
  };
}

bool Truth(Dtype dtype, const void* number) {
  if (dtype == Dtype::kFloat32) return *static_cast<const float*>(number) != 0;
  const auto* bytes = static_cast<const unsigned char*>(number);
  return std::any_of(bytes, bytes + ElementSize(dtype),
                     [](unsigned char each) { return each != 0; });
}

void RunOn(InnerRun& inner, const void* const* inputs, std::byte* arena) {
  for (std::size_t i = 0; i < inner.sources.size(); ++i) {
    inner.data[i] = inputs[inner.sources[i].index];
  }
  inner.executor->Place(arena);
  inner.executor->Run(inner.data);
}

// Of a condition that is known one graph alone.
Prepared PrepareIf(const PlanRequest& request, const ControlFlow& flow,
                   const std::vector<std::optional<GivenValue>>& outer) {
  Prepared prepared;
  const auto& given = flow.test.empty() ? outer[flow.condition] : std::nullopt;
  std::vector<std::shared_ptr<InnerRun>> graphs(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const bool never = given && given->constant &&
                       Truth(given->type.dtype, given->constant->data.get()) != (i == 0);
    if (never) continue;
    graphs[i] = PlanInner(request, flow.graphs[i], OuterTypes(outer), prepared.refusal);
    if (graphs[i] == nullptr) return prepared;
  }
  const auto any = graphs[0] != nullptr ? graphs[0] : graphs[1];
  std::shared_ptr<InnerRun> test;
  if (!flow.test.empty()) {
    test = PlanInner(request, flow.test[0], OuterTypes(outer), prepared.refusal);
    if (test == nullptr) return prepared;
    if (Elements(test->OutputType(0).dimensions) != 1) {
      return Refuse("its condition is not one number");
    }
  }
  const std::size_t outputs = any->executor->plan().outputs.size();
  for (std::size_t i = 0; i < outputs; ++i) {
    prepared.outputs.push_back(any->OutputType(i));
    for (const auto& graph : graphs) {
      if (graph == nullptr) continue;
      if (graph->executor->plan().outputs.size() != outputs ||
          graph->OutputType(i) != any->OutputType(i)) {
        return Refuse("its branches give different types or shapes");
      }
    }
  }
  for (const auto& graph : {graphs[0], graphs[1], test}) {
    if (graph != nullptr) prepared.workspace = std::max(prepared.workspace, graph->Arena());
  }
  const Dtype dtype = test ? test->OutputType(0).dtype : outer[flow.condition]->type.dtype;
  const int condition = flow.condition;
  prepared.run = [=](const void* const* inputs, void* const* to, void* workspace) {
    auto* arena = static_cast<std::byte*>(workspace);
    if (test) RunOn(*test, inputs, arena);
    const bool truth = Truth(dtype, test ? test->Output(0) : inputs[condition]);
    InnerRun& taken = *graphs[truth ? 0 : 1];
    RunOn(taken, inputs, arena);
    for (std::size_t i = 0; i < outputs; ++i) {
      if (to[i] != nullptr) std::memcpy(to[i], taken.Output(i), Bytes(taken.OutputType(i)));
    }
  };
  return prepared;
}

// One part of a tensor along an axis: copies go between it and a tensor without the axis.
struct Part {
  StridedCopy copy;
  std::size_t step = 0;  // bytes from one part to the next
  std::size_t size = 0;  // of an element
};

Dimensions WithoutAxis(Dimensions shape, std::int64_t axis) {
  shape.erase(shape.begin() + axis);
  return shape;
}

Part PartAlong(const TensorType& whole, std::int64_t axis, bool from_whole) {
  Part part;
  const Dimensions strides = Strides(whole.dimensions);
  part.copy.shape = WithoutAxis(whole.dimensions, axis);
  const Dimensions inside = WithoutAxis(strides, axis);
  const Dimensions alone = Strides(part.copy.shape);
  part.copy.from = from_whole ? inside : alone;
  part.copy.to = from_whole ? alone : inside;
  part.size = ElementSize(whole.dtype);
  part.step = static_cast<std::size_t>(strides[static_cast<std::size_t>(axis)]) * part.size;
  return part;
}

std::optional<std::int64_t> AxisWithin(std::int64_t axis, std::size_t rank) {
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return axis;
}

bool IsOne(const TensorType& type, Dtype dtype) {
  return type.dtype == dtype && Elements(type.dimensions) == 1;
}

// A loop that is planned; while it runs nothing is allocated.
class LoopRun {
 public:
  LoopRun(const ControlFlow& flow, const std::vector<std::optional<GivenValue>>& outer)
      : flow_(flow), outer_(outer) {}

  Prepared Prepare(const PlanRequest& request, const std::shared_ptr<LoopRun>& self);
  void Run(const void* const* inputs, void* const* outputs, std::byte* workspace);

 private:
  bool ReadSteps(Prepared& prepared);
  bool PlanBody(const PlanRequest& request, Prepared& prepared);
  bool CheckCarried(Prepared& prepared);
  bool ReadBodyCondition(Prepared& prepared);
  bool PlanStacks(Prepared& prepared);
  void PlaceBuffers(Prepared& prepared);
  std::optional<GivenValue> TypeOf(const InnerInput& input) const;
  const void* SourceOf(const InnerInput& input, const void* const* inputs, std::byte* workspace,
                       std::int64_t step);

  const std::optional<GivenValue>& Outer(int input) const {
    static const std::optional<GivenValue> kNothing;
    const bool is = input >= 0 && static_cast<std::size_t>(input) < outer_.size();
    return is ? outer_[static_cast<std::size_t>(input)] : kNothing;
  }

  ControlFlow flow_;
  std::vector<std::optional<GivenValue>> outer_;
  std::shared_ptr<InnerRun> body_;
  std::optional<std::int64_t> most_;  // steps, where that is known
  bool always_goes_on_ = true;        // no condition ends it
  std::vector<std::int64_t> slice_axes_;
  std::vector<Part> slices_;
  std::vector<Part> stacks_;
  std::vector<const void*> now_;              // of each carried value
  std::vector<std::size_t> carried_offsets_;  // of two buffers each
  std::vector<std::size_t> slice_offsets_;
  std::size_t iteration_offset_ = 0;
  std::size_t condition_offset_ = 0;
};

// How many steps there are, as far as it is known: by trips, slices and a condition that is known.
bool LoopRun::ReadSteps(Prepared& prepared) {
  const auto& trips = Outer(flow_.trips);
  if (trips && !IsOne(trips->type, Dtype::kInt64)) {
    prepared.refusal = "its number of steps is not one int64";
    return false;
  }
  if (trips && trips->constant) {
    most_ = std::max<std::int64_t>(0, *trips->constant->As<std::int64_t>());
  }
  for (const ControlFlow::Sliced& slice : flow_.slices) {
    const auto& whole = Outer(slice.input);
    const auto axis = whole ? AxisWithin(slice.axis, whole->type.Rank()) : std::nullopt;
    if (!axis) {
      prepared.refusal = "it has no such axis";
      return false;
    }
    const std::int64_t steps = whole->type.dimensions[static_cast<std::size_t>(*axis)];
    if (most_ && *most_ != steps) {
      prepared.refusal = "its inputs have different numbers of steps";
      return false;
    }
    most_ = steps;
    slice_axes_.push_back(*axis);
    slices_.push_back(PartAlong(whole->type, *axis, true));
  }
  const auto& condition = Outer(flow_.condition);
  if (!condition) return true;
  if (!IsOne(condition->type, Dtype::kBool)) {
    prepared.refusal = "its condition is not one bool";
    return false;
  }
  always_goes_on_ = condition->constant.has_value();
  if (condition->constant && !Truth(Dtype::kBool, condition->constant->data.get())) most_ = 0;
  return true;
}

std::optional<GivenValue> LoopRun::TypeOf(const InnerInput& input) const {
  const auto scalar = [](Dtype dtype) { return GivenValue{{dtype, {}}, std::nullopt}; };
  switch (input.from) {
    case InnerInput::From::kOuter:
      return Outer(static_cast<int>(input.index));
    case InnerInput::From::kIteration:
      return scalar(Dtype::kInt64);
    case InnerInput::From::kCondition: {
      GivenValue given = scalar(Dtype::kBool);
      if (!always_goes_on_) return given;
      given.constant = ConstantTensor(given.type);  // in every step it is true
      *given.constant->As<std::uint8_t>() = 1;
      return given;
    }
    case InnerInput::From::kCarried: {
      const auto& first = Outer(flow_.carried[input.index].input);
      if (!first) return std::nullopt;
      return GivenValue{first->type, std::nullopt};
    }
    case InnerInput::From::kSlice: {
      const auto& whole = Outer(flow_.slices[input.index].input);
      return GivenValue{
          {whole->type.dtype, WithoutAxis(whole->type.dimensions, slice_axes_[input.index])},
          std::nullopt};
    }
  }
  return std::nullopt;
}

bool LoopRun::PlanBody(const PlanRequest& request, Prepared& prepared) {
  const auto type_of = [this](const InnerInput& input) { return TypeOf(input); };
  body_ = PlanInner(request, flow_.graphs[0], type_of, prepared.refusal);
  return body_ != nullptr;
}

bool LoopRun::CheckCarried(Prepared& prepared) {
  for (const ControlFlow::Carried& carried : flow_.carried) {
    const auto& first = Outer(carried.input);
    const auto output = static_cast<std::size_t>(carried.body_output);
    if (!first || carried.body_output < 0 || output >= body_->executor->plan().outputs.size()) {
      prepared.refusal = "what it hands on has no beginning or no end";
      return false;
    }
    if (body_->OutputType(output) != first->type) {
      prepared.refusal = "what it hands on changes from " + Text(first->type) + " to " +
                         Text(body_->OutputType(output));
      return false;
    }
  }
  return true;
}

bool LoopRun::ReadBodyCondition(Prepared& prepared) {
  if (flow_.condition_output < 0) return true;
  const auto output = static_cast<std::size_t>(flow_.condition_output);
  if (!IsOne(body_->OutputType(output), Dtype::kBool)) {
    prepared.refusal = "its body's condition is not one bool";
    return false;
  }
  const auto known = body_->KnownTruth(output);
  if (known && !*known) most_ = std::min<std::int64_t>(most_.value_or(1), 1);
  always_goes_on_ = always_goes_on_ && known.has_value();
  return true;
}

bool LoopRun::PlanStacks(Prepared& prepared) {
  std::vector<TensorType> wholes;
  for (const ControlFlow::Stacked& stack : flow_.stacked) {
    TensorType whole = body_->OutputType(static_cast<std::size_t>(stack.body_output));
    const auto axis = AxisWithin(stack.axis, whole.Rank() + 1);
    if (!most_ || !always_goes_on_ || !axis) {
      prepared.refusal = axis ? "how many steps it takes is known only as it runs"
                              : "its outputs have no such axis";
      return false;
    }
    whole.dimensions.insert(whole.dimensions.begin() + *axis, *most_);
    if (!CheckSize(whole)) {
      prepared.refusal = OutputProblem(whole);
      return false;
    }
    stacks_.push_back(PartAlong(whole, *axis, false));
    wholes.push_back(std::move(whole));
  }
  for (const ControlFlow::Result& result : flow_.results) {
    prepared.outputs.push_back(result.stacked ? wholes[result.index]
                                              : Outer(flow_.carried[result.index].input)->type);
  }
  return true;
}

void LoopRun::PlaceBuffers(Prepared& prepared) {
  prepared.workspace = body_->Arena();
  const auto place = [&](std::size_t bytes) {
    const std::size_t at = prepared.workspace;
    prepared.workspace += AlignedSize(std::max<std::size_t>(bytes, 1));
    return at;
  };
  for (const ControlFlow::Carried& carried : flow_.carried) {
    const std::size_t bytes = Bytes(Outer(carried.input)->type);
    carried_offsets_.push_back(place(bytes));
    carried_offsets_.push_back(place(bytes));
  }
  for (const Part& slice : slices_) {
    slice_offsets_.push_back(place(Elements(slice.copy.shape) * slice.size));
  }
  iteration_offset_ = place(sizeof(std::int64_t));
  condition_offset_ = place(1);
  now_.resize(flow_.carried.size());
}

Prepared LoopRun::Prepare(const PlanRequest& request, const std::shared_ptr<LoopRun>& self) {
  Prepared prepared;
  if (!ReadSteps(prepared) || !PlanBody(request, prepared) || !CheckCarried(prepared)) {
    return prepared;
  }
  if (!ReadBodyCondition(prepared) || !PlanStacks(prepared)) return prepared;
  PlaceBuffers(prepared);
  prepared.run = [self](const void* const* inputs, void* const* outputs, void* workspace) {
    self->Run(inputs, outputs, static_cast<std::byte*>(workspace));
  };
  return prepared;
}

const void* LoopRun::SourceOf(const InnerInput& input, const void* const* inputs,
                              std::byte* workspace, std::int64_t step) {
  switch (input.from) {
    case InnerInput::From::kOuter:
      return inputs[input.index];
    case InnerInput::From::kIteration:
      return workspace + iteration_offset_;
    case InnerInput::From::kCondition:
      return workspace + condition_offset_;
    case InnerInput::From::kCarried:
      return now_[input.index];
    case InnerInput::From::kSlice:
      break;
  }
  const ControlFlow::Sliced& slice = flow_.slices[input.index];
  const Part& part = slices_[input.index];
  const std::int64_t at = slice.reverse ? *most_ - 1 - step : step;
  std::byte* buffer = workspace + slice_offsets_[input.index];
  part.copy.Run(
      static_cast<const std::byte*>(inputs[slice.input]) + static_cast<std::size_t>(at) * part.step,
      buffer, part.size);
  return buffer;
}

void LoopRun::Run(const void* const* inputs, void* const* outputs, std::byte* workspace) {
  const bool counted = flow_.trips >= 0 && inputs[flow_.trips] != nullptr;
  std::int64_t most =
      most_.value_or(counted ? *static_cast<const std::int64_t*>(inputs[flow_.trips])
                             : std::numeric_limits<std::int64_t>::max());
  if (!most_ && flow_.condition >= 0 && inputs[flow_.condition] != nullptr &&
      !Truth(Dtype::kBool, inputs[flow_.condition])) {
    most = 0;
  }
  for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = inputs[flow_.carried[i].input];
  workspace[condition_offset_] = std::byte{1};
  body_->executor->Place(workspace);
  for (std::int64_t step = 0; step < most; ++step) {
    std::memcpy(workspace + iteration_offset_, &step, sizeof step);
    for (std::size_t i = 0; i < body_->sources.size(); ++i) {
      body_->data[i] = SourceOf(body_->sources[i], inputs, workspace, step);
    }
    body_->executor->Run(body_->data);
    for (std::size_t i = 0; i < flow_.results.size(); ++i) {
      const ControlFlow::Result& result = flow_.results[i];
      if (!result.stacked || outputs[i] == nullptr) continue;
      const ControlFlow::Stacked& stack = flow_.stacked[result.index];
      const Part& part = stacks_[result.index];
      const std::int64_t at = stack.reverse ? *most_ - 1 - step : step;
      part.copy.Run(body_->Output(static_cast<std::size_t>(stack.body_output)),
                    static_cast<std::byte*>(outputs[i]) + static_cast<std::size_t>(at) * part.step,
                    part.size);
    }
    // Two buffers in turn: an output may be an input that stands where another is to go.
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const auto output = static_cast<std::size_t>(flow_.carried[i].body_output);
      std::byte* next = workspace + carried_offsets_[2 * i + static_cast<std::size_t>(step % 2)];
      std::memcpy(next, body_->Output(output), Bytes(body_->OutputType(output)));
    }
    for (std::size_t i = 0; i < now_.size(); ++i) {
      now_[i] = workspace + carried_offsets_[2 * i + static_cast<std::size_t>(step % 2)];
    }
    if (flow_.condition_output < 0 || always_goes_on_) continue;
    const auto goes_on = static_cast<std::size_t>(flow_.condition_output);
    if (!Truth(Dtype::kBool, body_->Output(goes_on))) break;
  }
  for (std::size_t i = 0; i < flow_.results.size(); ++i) {
    const ControlFlow::Result& result = flow_.results[i];
    if (result.stacked || outputs[i] == nullptr) continue;
    std::memcpy(outputs[i], now_[result.index],
                Bytes(Outer(flow_.carried[result.index].input)->type));
  }
}

}  // namespace

std::vector<ValueId> CapturedValues(const Graph& graph, const Node& node) {
  std::vector<ScopeId> open;
  for (const Attribute& attribute : node.attributes) {
    open.insert(open.end(), attribute.scopes.begin(), attribute.scopes.end());
  }
  if (open.empty()) return {};
  std::set<ScopeId> inside;
  std::set<ValueId> read;
  while (!open.empty()) {
    const ScopeId scope = open.back();
    open.pop_back();
    if (!inside.insert(scope).second) continue;
    read.insert(graph.scopes[scope].outputs.begin(), graph.scopes[scope].outputs.end());
    for (const NodeId id : graph.scopes[scope].nodes) {
      read.insert(graph.nodes[id].inputs.begin(), graph.nodes[id].inputs.end());
      for (const Attribute& attribute : graph.nodes[id].attributes) {
        open.insert(open.end(), attribute.scopes.begin(), attribute.scopes.end());
      }
    }
  }
  std::vector<ValueId> captured;
  for (const ValueId value : read) {
    if (value != kNone && inside.count(graph.values[value].scope) == 0) captured.push_back(value);
  }
  return captured;
}

Prepared PrepareControlFlow(const PlanRequest& outer_request, const ControlFlow& flow,
                            const std::vector<std::optional<GivenValue>>& outer) {
  if (!flow.problem.empty()) return Refuse(flow.problem);
  if (flow.kind == ControlFlow::Kind::kIf) {
    const bool has = flow.condition >= 0 &&
                     static_cast<std::size_t>(flow.condition) < outer.size() &&
                     outer[flow.condition] && Elements(outer[flow.condition]->type.dimensions) == 1;
    if (flow.test.empty() && !has) return Refuse("its condition is not one number");
    return PrepareIf(outer_request, flow, outer);
  }
  const auto loop = std::make_shared<LoopRun>(flow, outer);
  return loop->Prepare(outer_request, loop);
}

const KernelEntry& ControlFlowEntry(ControlFlow::Kind kind) {
  static const KernelEntry kBranch("If", "cpu");
  static const KernelEntry kRepeat("Loop", "cpu");
  return kind == ControlFlow::Kind::kIf ? kBranch : kRepeat;
}

}  // namespace opledger
