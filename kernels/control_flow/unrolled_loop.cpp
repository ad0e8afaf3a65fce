// Plans step by step: the types of carried values, and their values if known, are the inputs for
// planning the next step.
//   for i in 0..3: y = Concat(y, x[0 : i])   y grows, and i is known in each step
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <map>

#include "kernels/control_flow/loop.h"
#include "kernels/control_flow/loop_memory.h"
#include "kernels/kernel/step_problem.h"
#include "kernels/machine/run_limits.h"

namespace opledger {
namespace {

// Each step may have a plan of its own, so long loops are refused.
constexpr std::int64_t kMaxSteps = 1024;
constexpr std::size_t kMaxSlots = 2'000'000;  // of all plans: 300 MB

class UnrolledLoop {
 public:
  UnrolledLoop(const ControlFlow& flow, const OuterValues& outer) : flow_(flow), outer_(outer) {}

  Prepared Prepare(const PlanRequest& request, const std::shared_ptr<UnrolledLoop>& self);
  void Run(const void* const* inputs, void* const* outputs, std::byte* workspace);

 private:
  bool ReadSteps();
  bool PlanSteps(const PlanRequest& outer);
  std::shared_ptr<InnerRun> PlanStep(const PlanRequest& request, std::int64_t step);
  std::optional<GivenValue> ValueOf(const InnerInput& input, std::int64_t step, bool known) const;
  bool GoesOn(const InnerRun& body, bool& goes_on) const;
  bool HandOn(const InnerRun& body);
  bool PlanOutputs(Prepared& prepared);
  bool Fail(Status why) {
    problem_ = std::move(why);
    return false;
  }
  const std::optional<GivenValue>& Outer(int input) const { return OuterValue(outer_, input); }

  ControlFlow flow_;
  OuterValues outer_;
  Status problem_;
  std::int64_t max_steps_ = kMaxSteps + 1;
  std::vector<GivenValue> carried_;               // as read by the step being planned
  std::vector<std::shared_ptr<InnerRun>> steps_;  // possibly shared
  std::map<std::string, std::shared_ptr<InnerRun>> by_shapes_;
  std::vector<std::size_t> carried_bytes_;  // the largest
  std::vector<std::size_t> last_bytes_;
  LoopMemory memory_;
};

bool UnrolledLoop::ReadSteps() {
  if (!flow_.test.empty())
    return Fail(NeedsValues("whether it continues is known only at run time"));
  const auto& trips = Outer(flow_.trips);
  if (trips && (!trips->constant || trips->type.dtype != Dtype::kInt64 ||
                Elements(trips->type.dimensions) != 1)) {
    return Fail(NeedsValues("its number of steps is known only at run time"));
  }
  std::optional<std::int64_t> counted;
  if (trips) counted = std::max<std::int64_t>(0, *trips->constant->As<std::int64_t>());
  if (!memory_.TakeSlices(flow_, outer_, counted, problem_)) return false;
  if (counted) max_steps_ = *counted;
  const auto& condition = Outer(flow_.condition);
  if (condition && !condition->constant) {
    return Fail(NeedsValues("whether it runs any step is known only at run time"));
  }
  if (condition && !Truth(condition->type.dtype, condition->constant->data.get())) max_steps_ = 0;
  if (max_steps_ > kMaxSteps && (counted || flow_.condition_output < 0)) {
    return Fail("it takes more than " + std::to_string(kMaxSteps) + " steps of different shapes");
  }
  for (const ControlFlow::Carried& each : flow_.carried) {
    const auto& first = Outer(each.input);
    if (!first || each.body_output < 0)
      return Fail("a carried value has no initial value or no output");
    carried_.push_back(*first);
    carried_bytes_.push_back(Bytes(first->type));
  }
  return true;
}

// `known`: use also what is known only in this step.
std::optional<GivenValue> UnrolledLoop::ValueOf(const InnerInput& input, std::int64_t step,
                                                bool known) const {
  switch (input.from) {
    case InnerInput::From::kOuter:
      return Outer(static_cast<int>(input.index));
    case InnerInput::From::kIteration: {
      GivenValue given{{Dtype::kInt64, {}}, std::nullopt};
      if (!known) return given;
      given.constant = ConstantTensor(given.type);
      *given.constant->As<std::int64_t>() = step;
      return given;
    }
    case InnerInput::From::kCondition: {
      GivenValue given{{Dtype::kBool, {}}, std::nullopt};
      given.constant = ConstantTensor(given.type);
      *given.constant->As<std::uint8_t>() = 1;
      return given;
    }
    case InnerInput::From::kCarried: {
      GivenValue given = carried_[input.index];
      if (!known) given.constant.reset();
      return given;
    }
    case InnerInput::From::kSlice:
      break;
  }
  return GivenValue{memory_.slice_types[input.index], std::nullopt};
}

// Returns false if that is known only at run time.
bool UnrolledLoop::GoesOn(const InnerRun& body, bool& goes_on) const {
  goes_on = true;
  if (flow_.condition_output < 0) return true;
  const auto output = static_cast<std::size_t>(flow_.condition_output);
  if (output >= body.executor->plan().outputs.size()) return false;
  const auto known = body.KnownTruth(output);
  if (known) goes_on = *known;
  return known.has_value();
}

// Returns the plan shared by all steps of these shapes; if it does not serve, one for this step.
std::shared_ptr<InnerRun> UnrolledLoop::PlanStep(const PlanRequest& request, std::int64_t step) {
  std::string shapes;
  for (const GivenValue& each : carried_) shapes += Text(each.type) + ";";
  const InnerOutputs placed{{}, CarriedOutputs(flow_)};
  auto shared = by_shapes_.find(shapes);
  if (shared == by_shapes_.end()) {
    const auto type_of = [&](const InnerInput& input) { return ValueOf(input, step, false); };
    auto body = PlanInnerGraph(request, flow_.graphs[0], type_of, problem_, placed);
    bool goes_on = false;
    if (body != nullptr && !GoesOn(*body, goes_on)) body = nullptr;
    shared = by_shapes_.emplace(shapes, std::move(body)).first;
  }
  if (shared->second != nullptr) return shared->second;
  const auto value_of = [&](const InnerInput& input) { return ValueOf(input, step, true); };
  PlanRequest of_step = request;
  of_step.part += (request.part.empty() ? "" : "/") + std::to_string(step);
  return PlanInnerGraph(of_step, flow_.graphs[0], value_of, problem_, placed);
}

// Sets the inputs of the next step.
bool UnrolledLoop::HandOn(const InnerRun& body) {
  const ExecutionPlan& plan = body.executor->plan();
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    const auto output = static_cast<std::size_t>(flow_.carried[i].body_output);
    if (output >= plan.outputs.size()) return Fail("a carried value has no output");
    const TensorType& type = body.OutputType(output);
    carried_[i] = {type};
    carried_bytes_[i] = std::max(carried_bytes_[i], Bytes(type));
    const void* known = plan.ConstantOf(plan.outputs[output]);
    if (known == nullptr) continue;
    carried_[i].constant = ConstantTensor(type);
    std::memcpy(carried_[i].constant->data.get(), known, Bytes(type));
    carried_[i].of_run = plan.slots[plan.Root(plan.outputs[output])].of_run;
  }
  return true;
}

bool UnrolledLoop::PlanSteps(const PlanRequest& outer) {
  PlanRequest request = outer;
  request.is_unrolled = true;
  bool goes_on = max_steps_ > 0;
  for (std::int64_t step = 0; step < max_steps_ && goes_on; ++step) {
    const std::size_t slots = (steps_.size() + 1) * request.graph->values.size();
    if (step == kMaxSteps || slots > kMaxSlots) {
      return Fail("it takes too many steps of different shapes");
    }
    auto body = PlanStep(request, step);
    if (body == nullptr) return false;
    if (!GoesOn(*body, goes_on)) {
      return Fail(NeedsValues("whether it continues is known only at run time"));
    }
    if (!HandOn(*body)) return false;
    steps_.push_back(std::move(body));
  }
  return true;
}

bool UnrolledLoop::PlanOutputs(Prepared& prepared) {
  const auto steps = static_cast<std::int64_t>(steps_.size());
  for (const ControlFlow::Stacked& stack : flow_.stacked) {
    if (steps_.empty()) return Fail("it stacks outputs but runs no steps");
    const auto output = static_cast<std::size_t>(stack.body_output);
    const TensorType& part = steps_.front()->OutputType(output);
    for (const auto& step : steps_) {
      if (step->OutputType(output) != part) {
        return Fail("a stacked value changes from " + Text(part) + " to " +
                    Text(step->OutputType(output)));
      }
    }
    if (!memory_.AddStack(part, stack.axis, steps, problem_)) return false;
  }
  for (const ControlFlow::Result& result : flow_.results) {
    prepared.outputs.push_back(result.stacked      ? memory_.stack_types[result.index]
                               : result.input >= 0 ? Outer(result.input)->type
                                                   : carried_[result.index].type);
  }
  return true;
}

Prepared UnrolledLoop::Prepare(const PlanRequest& request,
                               const std::shared_ptr<UnrolledLoop>& self) {
  Prepared prepared;
  if (!ReadSteps() || !PlanSteps(request) || !PlanOutputs(prepared)) return Refuse(problem_);
  std::size_t arena = 0;
  for (const auto& step : steps_) arena = std::max(arena, step->Arena());
  prepared.workspace = memory_.Reserve(arena, carried_bytes_);
  for (const GivenValue& last : carried_) last_bytes_.push_back(Bytes(last.type));
  std::vector<const InnerRun*> graphs;
  for (const auto& step : steps_) graphs.push_back(step.get());
  prepared.unread_inputs = UnreadInputs(outer_.size(), flow_.OwnInputs(), graphs);
  outer_.clear();  // do not hold the constants while it runs
  carried_.clear();
  by_shapes_.clear();
  prepared.run = [self](const void* const* inputs, void* const* outputs, void* workspace) {
    self->Run(inputs, outputs, static_cast<std::byte*>(workspace));
  };
  return prepared;
}

void UnrolledLoop::Run(const void* const* inputs, void* const* outputs, std::byte* workspace) {
  memory_.Begin(flow_, inputs, workspace);
  const auto steps = static_cast<std::int64_t>(steps_.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    if (const char* why = TakeTrip()) return ReportStepProblem(why);
    InnerRun& body = *steps_[static_cast<std::size_t>(step)];
    memory_.PlaceCarried(body, workspace, step);
    memory_.RunInner(body, flow_, inputs, workspace, step, max_steps_);  // counted as slices are
    if (HasStepProblem()) return;
    memory_.Stack(body, flow_, outputs, step, steps);
    memory_.HandOn(body, flow_, workspace, step);
  }
  memory_.Finish(flow_, last_bytes_, outputs);
}

}  // namespace

Prepared PrepareUnrolledLoop(const PlanRequest& request, const ControlFlow& flow,
                             const OuterValues& outer) {
  const auto loop = std::make_shared<UnrolledLoop>(flow, outer);
  return loop->Prepare(request, loop);
}

}  // namespace opledger
