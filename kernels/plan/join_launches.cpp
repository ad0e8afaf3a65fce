// Joins successive element-wise steps to one row program of the CPU (kernels/vector/elementwise) or
// one launch of a device, which reads each operand once and writes only the last result. Results in
// between are rounded as storing them would, which gives the same bits. Goes in the plan's order,
// so that joined steps are joined with later ones, too.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/plan/passes.h"

namespace opledger {
namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
constexpr std::size_t kSeveral = kNobody - 1;

// For each value the only step that reads it or a view of it.
std::vector<std::size_t> Readers(const ExecutionPlan& plan) {
  std::vector<std::size_t> readers(plan.slots.size(), kNobody);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    for (const ValueId input : plan.steps[i].inputs) {
      if (input == kNone) continue;
      std::size_t& reader = readers[plan.Root(input)];
      reader = reader == kNobody || reader == i ? i : kSeveral;
    }
  }
  for (const ValueId output : plan.outputs) readers[plan.Root(output)] = kSeveral;
  return readers;
}

bool IsJoinable(const PlannedStep& step) {
  return step.launch != nullptr && step.outputs.size() == 1 && step.outputs[0] != kNone;
}

// Makes `next` compute `step`, too; the caller finishes its launch. Returns false if they cannot be
// joined.
bool Join(const ExecutionPlan& plan, const PlannedStep& step, PlannedStep& next) {
  const ValueId result = step.outputs[0];
  const bool as_it_is = std::all_of(next.inputs.begin(), next.inputs.end(), [&](ValueId input) {
    return input == kNone || input == result || plan.Root(input) != result;
  });
  if (!as_it_is) return false;
  const std::size_t inputs = step.inputs.size();
  const auto source = [&](std::size_t i) -> std::optional<std::size_t> {
    const ValueId value = next.inputs[i];
    if (value == result) return std::nullopt;
    const auto first = std::find(step.inputs.begin(), step.inputs.end(), value);
    if (first != step.inputs.end()) return static_cast<std::size_t>(first - step.inputs.begin());
    const auto own = std::find(next.inputs.begin(), next.inputs.end(), value);
    return inputs + static_cast<std::size_t>(own - next.inputs.begin());
  };
  auto joined = step.launch->Join(*next.launch, inputs, source);
  if (joined == nullptr) return false;
  std::replace(next.inputs.begin(), next.inputs.end(), result, static_cast<ValueId>(kNone));
  next.inputs.insert(next.inputs.begin(), step.inputs.begin(), step.inputs.end());
  next.fused.insert(next.fused.begin(), step.fused.begin(), step.fused.end());
  if (next.node == kNone) {  // a cast becomes a part of the step before it
    next.node = step.node;
    next.kernel = step.kernel;
  } else if (step.node != kNone) {
    next.fused.insert(next.fused.begin() + static_cast<std::ptrdiff_t>(step.fused.size()),
                      step.node);
  }
  next.run = nullptr;
  next.launch = std::move(joined);
  return true;
}

// Returns whether any steps were joined. Steps that were joined to others have no kernel.
bool JoinOnce(ExecutionPlan& plan) {
  const std::vector<std::size_t> readers = Readers(plan);
  bool any = false;
  for (PlannedStep& step : plan.steps) {
    if (!IsJoinable(step)) continue;
    const std::size_t reader = readers[step.outputs[0]];
    if (reader == kNobody || reader == kSeveral || !IsJoinable(plan.steps[reader])) continue;
    if (!Join(plan, step, plan.steps[reader])) continue;
    step.kernel = nullptr;
    any = true;
  }
  return any;
}

}  // namespace

void JoinLaunches(ExecutionPlan& plan) {
  // Repeat: after a join, several readers of a value may have become one.
  while (JoinOnce(plan)) {
    const auto gone = [](const PlannedStep& step) { return step.kernel == nullptr; };
    plan.steps.erase(std::remove_if(plan.steps.begin(), plan.steps.end(), gone), plan.steps.end());
  }
  // Once for each chain, since finishing a launch fills tables.
  for (PlannedStep& step : plan.steps) {
    if (step.launch != nullptr && !step.run) step.run = step.launch->Finish();
  }
}

}  // namespace opledger
