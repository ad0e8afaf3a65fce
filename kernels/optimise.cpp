// The passes, then for each step the best kernel that serves it.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "kernels/fusion.h"

namespace opledger {
namespace {

// The first step that no kernel of the device serves, with why; none: all have theirs.
std::optional<UnservedStep> ChooseFastest(ExecutionPlan& plan, const KernelChoice& choice) {
  for (PlannedStep& step : plan.steps) {
    ChosenKernel chosen = ChooseKernel(step.kernel->name(), step.call, choice);
    if (chosen.entry == nullptr && step.kernel->device() == choice.device) continue;
    if (chosen.entry == nullptr) return UnservedStep{step.node, chosen.prepared.refusal};
    step.kernel = chosen.entry;
    step.run = std::move(chosen.prepared.run);
    step.workspace = chosen.prepared.workspace;
    for (const std::size_t input : chosen.prepared.kept) step.inputs[input] = kNone;
  }
  return std::nullopt;
}

// Constants that nobody reads any more: kernels have them in a form of their own.
void DropUnusedConstants(ExecutionPlan& plan) {
  std::set<ValueId> read;
  for (const PlannedStep& step : plan.steps) {
    for (const ValueId input : step.inputs) {
      if (input != kNone) read.insert(plan.Root(input));
    }
  }
  for (const ValueId output : plan.outputs) read.insert(plan.Root(output));
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    Slot& slot = plan.slots[i];
    if (slot.place == Slot::Place::kConstant && read.count(static_cast<ValueId>(i)) == 0) {
      slot.constant.data.reset();
    }
  }
}

}  // namespace

std::optional<UnservedStep> Optimise(ExecutionPlan& plan, const KernelChoice& choice) {
  FuseContractions(plan);
  PutChannelsLast(plan);
  auto unserved = ChooseFastest(plan, choice);
  if (unserved) return unserved;
  for (PlannedStep& step : plan.steps) step.call.constants.clear();
  DropUnusedConstants(plan);
  return std::nullopt;
}

}  // namespace opledger
