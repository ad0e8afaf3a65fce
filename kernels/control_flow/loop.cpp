// Inner graphs write to their own memory, except for carried values, which go where the next step
// reads them; results of the loop are copied to its outputs.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/control_flow/loop.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/control_flow/loop_memory.h"
#include "kernels/kernel/step_problem.h"
#include "kernels/machine/run_limits.h"

namespace opledger {
namespace {

bool IsOne(const TensorType& type, Dtype dtype) {
  return type.dtype == dtype && Elements(type.dimensions) == 1;
}

// A planned loop; running it allocates nothing.
class LoopRun {
 public:
  LoopRun(const ControlFlow& flow, const OuterValues& outer) : flow_(flow), outer_(outer) {}

  Prepared Prepare(const PlanRequest& request, const std::shared_ptr<LoopRun>& self);
  void Run(const void* const* inputs, void* const* outputs, std::byte* workspace);

 private:
  bool ReadSteps(Prepared& prepared);
  bool PlanBody(const PlanRequest& request, Prepared& prepared);
  bool CheckCarried(Prepared& prepared);
  bool ReadBodyCondition(Prepared& prepared);
  bool PlanStacks(const PlanRequest& request, Prepared& prepared);
  std::optional<GivenValue> TypeOf(const InnerInput& input) const;
  std::int64_t StepsFor(const void* const* inputs) const;

  const std::optional<GivenValue>& Outer(int input) const { return OuterValue(outer_, input); }

  ControlFlow flow_;
  OuterValues outer_;
  std::shared_ptr<InnerRun> body_;
  std::shared_ptr<InnerRun> test_;         // nullptr: none
  std::optional<std::int64_t> max_steps_;  // if known
  bool always_goes_on_ = true;             // no condition ends the loop
  std::vector<std::size_t> carried_bytes_;
  LoopMemory memory_;
};

// Determines the number of steps, if known, from trips, slices and a known condition.
bool LoopRun::ReadSteps(Prepared& prepared) {
  max_steps_ = flow_.max_steps;
  const auto& trips = Outer(flow_.trips);
  if (trips && !IsOne(trips->type, Dtype::kInt64)) {
    prepared.refusal = "its number of steps is not an int64 scalar";
    return false;
  }
  if (trips && trips->constant) {
    max_steps_ = std::max<std::int64_t>(0, *trips->constant->As<std::int64_t>());
  }
  if (!memory_.TakeSlices(flow_, outer_, max_steps_, prepared.refusal)) return false;
  const auto& condition = Outer(flow_.condition);
  if (!condition) return true;
  if (!IsOne(condition->type, Dtype::kBool)) {
    prepared.refusal = "its condition is not a bool scalar";
    return false;
  }
  always_goes_on_ = condition->constant.has_value();
  if (condition->constant && !Truth(Dtype::kBool, condition->constant->data.get())) max_steps_ = 0;
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
      given.constant = ConstantTensor(given.type);  // true in every step
      *given.constant->As<std::uint8_t>() = 1;
      return given;
    }
    case InnerInput::From::kCarried: {
      const auto& first = Outer(flow_.carried[input.index].input);
      if (!first) return std::nullopt;
      return GivenValue{first->type, std::nullopt};
    }
    case InnerInput::From::kSlice:
      return GivenValue{memory_.slice_types[input.index], std::nullopt};
  }
  return std::nullopt;
}

bool LoopRun::PlanBody(const PlanRequest& request, Prepared& prepared) {
  const auto type_of = [this](const InnerInput& input) { return TypeOf(input); };
  if (!flow_.test.empty()) {
    test_ = PlanInnerGraph(request, flow_.test[0], type_of, prepared.refusal);
    if (test_ == nullptr) return false;
    if (Elements(test_->OutputType(0).dimensions) != 1) {
      prepared.refusal = "its condition is not a scalar";
      return false;
    }
  }
  body_ = PlanInnerGraph(request, flow_.graphs[0], type_of, prepared.refusal,
                         {{}, CarriedOutputs(flow_)});
  return body_ != nullptr;
}

bool LoopRun::CheckCarried(Prepared& prepared) {
  for (const ControlFlow::Carried& carried : flow_.carried) {
    const auto& first = Outer(carried.input);
    const auto output = static_cast<std::size_t>(carried.body_output);
    if (!first || carried.body_output < 0 || output >= body_->executor->plan().outputs.size()) {
      prepared.refusal = "a carried value has no initial value or no output";
      return false;
    }
    if (body_->OutputType(output) != first->type) {
      prepared.refusal = "a carried value changes from " + Text(first->type) + " to " +
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
    prepared.refusal = "the condition of its body is not a bool scalar";
    return false;
  }
  const auto known = body_->KnownTruth(output);
  if (known && !*known) max_steps_ = std::min<std::int64_t>(max_steps_.value_or(1), 1);
  always_goes_on_ = always_goes_on_ && known.has_value();
  return true;
}

bool LoopRun::PlanStacks(const PlanRequest& request, Prepared& prepared) {
  auto steps = (always_goes_on_ || flow_.pads) ? max_steps_ : std::nullopt;
  if (!steps && !flow_.stacked.empty()) {
    const auto type_of = [this](const InnerInput& input) { return TypeOf(input); };
    steps = CountSteps(request, flow_, outer_, type_of, max_steps_);
    if (steps) max_steps_ = steps;
  }
  for (const ControlFlow::Stacked& stack : flow_.stacked) {
    const TensorType& part = body_->OutputType(static_cast<std::size_t>(stack.body_output));
    if (!memory_.AddStack(part, stack.axis, steps, prepared.refusal)) return false;
  }
  for (const ControlFlow::Result& result : flow_.results) {
    const int input =
        result.stacked || result.input >= 0 ? result.input : flow_.carried[result.index].input;
    prepared.outputs.push_back(result.stacked ? memory_.stack_types[result.index]
                                              : Outer(input)->type);
  }
  return true;
}

Prepared LoopRun::Prepare(const PlanRequest& request, const std::shared_ptr<LoopRun>& self) {
  Prepared prepared;
  if (!ReadSteps(prepared) || !PlanBody(request, prepared) || !CheckCarried(prepared)) {
    return prepared;
  }
  if (!ReadBodyCondition(prepared) || !PlanStacks(request, prepared)) return prepared;
  for (const ControlFlow::Carried& carried : flow_.carried) {
    carried_bytes_.push_back(Bytes(Outer(carried.input)->type));
  }
  prepared.workspace = memory_.Reserve(
      std::max(body_->Arena(), test_ == nullptr ? 0 : test_->Arena()), carried_bytes_);
  prepared.unread_inputs =
      UnreadInputs(outer_.size(), flow_.OwnInputs(), {body_.get(), test_.get()});
  outer_.clear();  // do not hold the constants while it runs
  prepared.run = [self](const void* const* inputs, void* const* outputs, void* workspace) {
    self->Run(inputs, outputs, static_cast<std::byte*>(workspace));
  };
  return prepared;
}

// Returns the maximum number of iterations of a run.
std::int64_t LoopRun::StepsFor(const void* const* inputs) const {
  const bool asked = flow_.condition >= 0 && inputs[flow_.condition] != nullptr;
  if (asked && !Truth(Dtype::kBool, inputs[flow_.condition])) return 0;
  const bool counted = flow_.trips >= 0 && inputs[flow_.trips] != nullptr;
  return max_steps_.value_or(counted ? *static_cast<const std::int64_t*>(inputs[flow_.trips])
                                     : std::numeric_limits<std::int64_t>::max());
}

void LoopRun::Run(const void* const* inputs, void* const* outputs, std::byte* workspace) {
  const std::int64_t steps = StepsFor(inputs), all = max_steps_.value_or(steps);
  for (std::size_t i = 0; i < flow_.results.size(); ++i) {
    if (!flow_.pads || !flow_.results[i].stacked || outputs[i] == nullptr) continue;
    const TensorPart& part = memory_.stacks[flow_.results[i].index];
    std::memset(outputs[i], 0, part.Bytes() * static_cast<std::size_t>(*max_steps_));
  }
  memory_.Begin(flow_, inputs, workspace);
  for (std::int64_t step = 0; step < steps; ++step) {
    if (const char* why = TakeTrip()) return ReportStepProblem(why);
    if (test_ != nullptr) {
      memory_.RunInner(*test_, flow_, inputs, workspace, step, all);
      if (HasStepProblem()) return;
      if (!Truth(test_->OutputType(0).dtype, test_->Output(0))) break;
    }
    memory_.PlaceCarried(*body_, workspace, step);
    memory_.RunInner(*body_, flow_, inputs, workspace, step, all);
    if (HasStepProblem()) return;
    memory_.Stack(*body_, flow_, outputs, step, all);
    memory_.HandOn(*body_, flow_, workspace, step);
    if (flow_.condition_output < 0 || always_goes_on_) continue;
    const auto goes_on = static_cast<std::size_t>(flow_.condition_output);
    if (!Truth(Dtype::kBool, body_->Output(goes_on))) break;
  }
  memory_.Finish(flow_, carried_bytes_, outputs);
}

}  // namespace

Prepared PrepareLoop(const PlanRequest& request, const ControlFlow& flow,
                     const OuterValues& outer) {
  const auto loop = std::make_shared<LoopRun>(flow, outer);
  return loop->Prepare(request, loop);
}

}  // namespace opledger
