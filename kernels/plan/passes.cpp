// The passes, then for each step the best kernel that serves it.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "kernels/plan/fusion.h"
#include "kernels/plan/plan_replay.h"

namespace opledger {
namespace {

// The first step that no kernel serves which may, with why; none: all have theirs.
std::optional<UnservedStep> ChooseFastest(ExecutionPlan& plan, const KernelChoice& choice) {
  for (PlannedStep& step : plan.steps) {
    ChosenKernel chosen = ChooseKernel(step.kernel->name(), step.call, choice);
    if (chosen.entry == nullptr && choice.device != "cpu") {
      if (choice.only_device) return UnservedStep{step.node, chosen.prepared.refusal};
      step.refusal = chosen.prepared.refusal;
      chosen = ChooseKernel(step.kernel->name(), step.call, {});
    }
    if (chosen.entry == nullptr) continue;  // what it was planned with does
    step.kernel = chosen.entry;
    TakeChosen(std::move(chosen.prepared), step);
  }
  return std::nullopt;
}

// Constants that nobody reads any more: kernels have them in a form of their own.
void DropUnusedConstants(ExecutionPlan& plan) {
  const std::set<ValueId> read = plan.ReadRoots();
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    Slot& slot = plan.slots[i];
    if (slot.place == Slot::Place::kConstant && read.count(static_cast<ValueId>(i)) == 0) {
      slot.constant.data.reset();
    }
  }
}

// Nobody prepares a step again.
void DropWhatWasForPlanning(ExecutionPlan& plan) {
  for (PlannedStep& step : plan.steps) step.call.constants.clear();
  DropUnusedConstants(plan);
}

}  // namespace

void TakeChosen(Prepared prepared, PlannedStep& step) {
  step.run = std::move(prepared.run);
  step.launch = std::move(prepared.launch);
  step.workspace = prepared.workspace;
  for (const std::size_t input : prepared.kept) step.inputs[input] = kNone;
}

std::optional<UnservedStep> Optimise(ExecutionPlan& plan, const KernelChoice& choice) {
  FuseContractions(plan, nullptr);
  PutChannelsLast(plan, nullptr);
  auto unserved = ChooseFastest(plan, choice);
  if (!unserved) DropWhatWasForPlanning(plan);
  return unserved;
}

bool OptimiseAsRecorded(ExecutionPlan& plan, const PlanRequest& request) {
  PlanReplay& replay = *request.replay;
  const RecordedGraph* recorded = replay.Find(*request.graph, request.scope, plan);
  if (recorded == nullptr) return false;
  if (!request.choice.reference_only) {
    const RecordedChoices choices(*request.graph, *recorded);
    FuseContractions(plan, &choices);
    PutChannelsLast(plan, &choices);
  }
  if (!replay.Choose(*request.graph, *recorded, request.choice.device, plan)) return false;
  if (!request.choice.reference_only) DropWhatWasForPlanning(plan);
  return true;
}

}  // namespace opledger
