// Counts the steps of a loop that ends by a counter.
//   while i < n: ..., i = i + 1   with i and n known before the loop: n - i steps
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "kernels/control_flow/loop.h"
#include "kernels/control_flow/loop_memory.h"
#include "kernels/machine/run_limits.h"

namespace opledger {
namespace {

constexpr std::int64_t kMaxCounted = 1 << 17;

// Returns whether all kernels compute the same result for it.
bool IsExact(const ExecutionPlan& plan) {
  return std::none_of(plan.steps.begin(), plan.steps.end(), [&](const PlannedStep& step) {
    std::vector<TensorType> outputs;
    for (const ValueId output : step.outputs) {
      if (output != kNone) outputs.push_back(*plan.slots[output].type);
    }
    return RoundsFloats(plan, step, outputs);
  });
}

// Runs the part of a body that computes its condition.
class StepCounter {
 public:
  StepCounter(const ControlFlow& flow, const OuterValues& outer) : flow_(flow), outer_(outer) {}

  bool Plan(const PlanRequest& request, const TypeOfSource& type_of);
  std::optional<std::int64_t> Count(std::int64_t most);

 private:
  bool TakeRead(bool& is_closed);
  const void* SourceOf(const InnerInput& input) const;

  const ControlFlow& flow_;
  const OuterValues& outer_;
  std::shared_ptr<InnerRun> part_;
  std::map<std::size_t, ConstantTensor> carried_;  // those that the part reads, for this step
  std::int64_t step_ = 0;
};

// Adds the carried values that the part reads to what it computes. Returns false if it reads a
// value that is not known before the loop runs.
bool StepCounter::TakeRead(bool& is_closed) {
  const ExecutionPlan& plan = part_->executor->plan();
  const std::set<ValueId> read = plan.ReadRoots();
  is_closed = true;
  for (std::size_t i = 0; i < part_->sources.size(); ++i) {
    const InnerInput& input = part_->sources[i];
    const bool is_constant = plan.slots[plan.inputs[i]].place == Slot::Place::kConstant;
    if (is_constant || read.count(plan.inputs[i]) == 0) continue;
    if (input.from == InnerInput::From::kIteration) continue;
    if (input.from != InnerInput::From::kCarried) return false;
    const auto& first = OuterValue(outer_, flow_.carried[input.index].input);
    if (!first || !first->constant) return false;
    if (carried_.count(input.index) != 0) continue;
    ConstantTensor& value = carried_[input.index] = ConstantTensor(first->type);
    std::memcpy(value.data.get(), first->constant->data.get(), Bytes(first->type));
    is_closed = false;
  }
  return true;
}

bool StepCounter::Plan(const PlanRequest& request, const TypeOfSource& type_of) {
  PlanRequest plain = request;
  plain.choice.reference_only = true;
  plain.record = nullptr;
  plain.replay = nullptr;
  const std::vector<ValueId>& given = request.graph->scopes[flow_.graphs[0].scope].outputs;
  for (bool is_closed = false; !is_closed;) {
    InnerOutputs outputs;
    outputs.wanted.push_back(given[static_cast<std::size_t>(flow_.condition_output)]);
    for (const auto& [carried, value] : carried_) {
      outputs.wanted.push_back(given[static_cast<std::size_t>(flow_.carried[carried].body_output)]);
    }
    Status problem;
    part_ = PlanInnerGraph(plain, flow_.graphs[0], type_of, problem, outputs);
    if (part_ == nullptr || !IsExact(part_->executor->plan()) || !TakeRead(is_closed)) return false;
  }
  std::size_t output = 1;
  for (const auto& [carried, value] : carried_) {
    if (part_->OutputType(output++) != value.type) return false;
  }
  const TensorType& condition = part_->OutputType(0);
  return condition.dtype == Dtype::kBool && Elements(condition.dimensions) == 1;
}

const void* StepCounter::SourceOf(const InnerInput& input) const {
  if (input.from == InnerInput::From::kIteration) return &step_;
  const auto carried = carried_.find(input.index);
  const bool is_carried = input.from == InnerInput::From::kCarried && carried != carried_.end();
  return is_carried ? carried->second.data.get() : nullptr;
}

std::optional<std::int64_t> StepCounter::Count(std::int64_t most) {
  const AlignedBytes arena = AllocateAligned(part_->Arena());
  part_->executor->UseArena(arena.get());
  for (; step_ < most; ++step_) {
    if (step_ == kMaxCounted || WhyToStop() != nullptr) return std::nullopt;
    for (std::size_t i = 0; i < part_->sources.size(); ++i) {
      part_->data[i] = SourceOf(part_->sources[i]);
    }
    part_->executor->Run(part_->data);
    if (!part_->executor->status().ok()) return std::nullopt;
    if (!Truth(Dtype::kBool, part_->Output(0))) return step_ + 1;
    std::map<std::size_t, ConstantTensor> next;
    std::size_t output = 1;
    for (const auto& [carried, value] : carried_) {
      ConstantTensor& copy = next[carried] = ConstantTensor(value.type);
      std::memcpy(copy.data.get(), part_->Output(output++), Bytes(value.type));
    }
    carried_ = std::move(next);  // copied first, since an output may be an input
  }
  return most;
}

}  // namespace

std::optional<std::int64_t> CountSteps(const PlanRequest& request, const ControlFlow& flow,
                                       const OuterValues& outer, const TypeOfSource& type_of,
                                       std::optional<std::int64_t> most) {
  const auto& condition = OuterValue(outer, flow.condition);
  if (condition && !condition->constant) return std::nullopt;
  if (flow.condition_output < 0 || !flow.test.empty()) return std::nullopt;
  if (most && *most == 0) return 0;
  StepCounter counter(flow, outer);
  if (!counter.Plan(request, type_of)) return std::nullopt;
  return counter.Count(most.value_or(std::numeric_limits<std::int64_t>::max()));
}

}  // namespace opledger
