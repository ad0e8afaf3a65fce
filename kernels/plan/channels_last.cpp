// Moves channels last, in the order of the steps. Convolutions request an input with channels last;
// element-wise steps and steps over pixels follow their input; all others get their inputs in the
// original layout. A value is transposed at most once in each direction.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel/channels_last.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "kernels/kernel/fused_call.h"
#include "kernels/plan/passes.h"
#include "kernels/plan/plan_replay.h"

namespace opledger {
namespace {

// How a step handles tensors with channels last.
struct Follows {
  ChannelsLastUse use = ChannelsLastUse::kNo;
  bool elementwise = false;  // element-wise, with one tensor or several that broadcast
};

Follows HowItFollows(const PlannedStep& step, const TensorType* result) {
  const KernelProperties& properties = step.kernel->properties();
  Follows follows{properties.channels_last, properties.elementwise};
  if (step.call.inputs.empty() || !step.call.Has(0)) return {};
  // Input 0 of an element-wise step may be a scalar, so use its result.
  const TensorType& seen = follows.elementwise && result != nullptr ? *result : step.call.Input(0);
  if (seen.Rank() < 3 || seen.Rank() > 5) return {};
  const bool one = std::count(step.outputs.begin(), step.outputs.end(), kNone) ==
                   static_cast<std::ptrdiff_t>(step.outputs.size()) - 1;
  return one && step.outputs[0] != kNone ? follows : Follows{};
}

// Reorders parameters that have one entry per dimension, from N, C, ... to N, ..., C.
void PermuteDimensions(std::size_t rank, Parameters& parameters) {
  Integers order(rank);
  std::iota(order.begin(), order.end(), 0);
  order = ToChannelsLast(order);
  const Parameters before = parameters;
  if (before.Has("output")) parameters.Set("output", ToChannelsLast(before.List("output")));
  for (const auto& [name, absent] : kPerDimension) {
    for (std::size_t d = 0; d < rank; ++d) {
      const std::string from = name + std::to_string(order[d]);
      parameters.Set(name + std::to_string(d), before.Number(from, absent));
    }
  }
}

class ChannelsLastPass {
 public:
  ChannelsLastPass(ExecutionPlan& plan, const RecordedChoices* choices)
      : plan_(plan), choices_(choices) {}

  void Run();

 private:
  const TensorType* ResultOf(const PlannedStep& step) const;
  bool HasLast(ValueId value) const { return last_.count(plan_.Canonical(value)) != 0; }
  bool Transpose(ValueId from, ValueId to, bool to_last);
  ValueId NeedLast(ValueId value);
  void NeedFirst(ValueId value);
  bool TransposeInput(PlannedStep& step, std::size_t input);
  bool Follow(const PlannedStep& original);
  bool Put(PlannedStep step, ValueId result);

  ExecutionPlan& plan_;
  const RecordedChoices* choices_;
  std::map<ValueId, ValueId> last_;  // the version of a value with channels last
  std::set<ValueId> owed_;           // values that exist only with channels last so far
};

const TensorType* ChannelsLastPass::ResultOf(const PlannedStep& step) const {
  if (step.outputs.empty() || step.outputs[0] == kNone) return nullptr;
  const Slot& slot = plan_.slots[step.outputs[0]];
  return slot.type ? &*slot.type : nullptr;
}

bool ChannelsLastPass::Transpose(ValueId from, ValueId to, bool to_last) {
  const TensorType& type = *plan_.slots[from].type;
  Integers order(type.Rank());
  std::iota(order.begin(), order.end(), 0);
  PlannedStep step;
  step.call.inputs = {type};
  step.call.constants = {plan_.ConstantOf(from)};
  step.call.parameters.Set("order", to_last ? ToChannelsLast(order) : ToChannelsFirst(order));
  ChosenKernel chosen = ChooseKernel("Transpose", step.call, {true});
  if (chosen.entry == nullptr) return false;
  step.kernel = chosen.entry;
  step.inputs = {from};
  step.outputs = {to};
  AddStep(plan_, std::move(step), std::move(chosen.prepared));
  return true;
}

ValueId ChannelsLastPass::NeedLast(ValueId value) {
  value = plan_.Canonical(value);
  const auto found = last_.find(value);
  if (found != last_.end()) return found->second;
  NeedFirst(value);  // may be a view of a value that only exists with channels last
  const ValueId transposed = plan_.AddSlot(value);
  if (!Transpose(value, transposed, true)) return kNone;
  last_[value] = transposed;
  return transposed;
}

void ChannelsLastPass::NeedFirst(ValueId value) {
  if (value == kNone) return;
  const ValueId root = plan_.Root(value);
  if (owed_.erase(root) == 0) return;
  const Dimensions& shape = plan_.slots[root].type->dimensions;
  const ValueId last = last_.at(root);
  if (shape[1] == 1 || Elements({shape.begin() + 2, shape.end()}) == 1) {
    plan_.slots[root].view_of = last;  // both layouts are the same in memory
  } else {
    Transpose(last, root, false);
  }
}

// Transposes input `input` of an element-wise step like the others.
bool ChannelsLastPass::TransposeInput(PlannedStep& step, std::size_t input) {
  if (!step.call.Has(input)) return true;
  TensorType& type = *step.call.inputs[input];
  const std::size_t rank = plan_.slots[step.outputs[0]].type->Rank();
  if (Elements(type.dimensions) == 1) {
    NeedFirst(step.inputs[input]);
    return true;
  }
  Dimensions whole(rank - type.Rank(), 1);
  whole.insert(whole.end(), type.dimensions.begin(), type.dimensions.end());
  if (std::count(whole.begin(), whole.end(), 1) == static_cast<std::ptrdiff_t>(rank) - 1 &&
      !HasLast(step.inputs[input])) {
    NeedFirst(step.inputs[input]);
    type.dimensions = ToChannelsLast(whole);
    return true;
  }
  if (type.Rank() != rank) return false;
  const ValueId transposed = NeedLast(step.inputs[input]);
  if (transposed == kNone) return false;
  step.inputs[input] = transposed;
  type.dimensions = ToChannelsLast(whole);
  step.call.constants[input] = plan_.ConstantOf(transposed);
  return true;
}

// Makes `step` compute the version of `result` with channels last. Returns false if its kernel
// cannot.
bool ChannelsLastPass::Put(PlannedStep step, ValueId result) {
  ChosenKernel chosen = ChooseKernel(step.kernel->name(), step.call, {true});
  if (chosen.entry == nullptr) return false;
  Slot& slot = plan_.slots[result];
  if (chosen.prepared.outputs[0].dimensions != ToChannelsLast(slot.type->dimensions)) return false;
  slot.place = Slot::Place::kUnused;
  const ValueId transposed = plan_.AddSlot(result);
  step.outputs = {transposed};
  step.channels_last = true;
  AddStep(plan_, std::move(step), std::move(chosen.prepared));
  last_[result] = transposed;
  owed_.insert(result);
  return true;
}

bool ChannelsLastPass::Follow(const PlannedStep& original) {
  const Follows follows = HowItFollows(original, ResultOf(original));
  if (follows.use == ChannelsLastUse::kNo && !follows.elementwise) return false;
  if (choices_ != nullptr && !choices_->HasChannelsLast(original)) return false;
  const std::size_t rank = plan_.slots[original.outputs[0]].type->Rank();
  const bool any = std::any_of(original.inputs.begin(), original.inputs.end(), [&](ValueId input) {
    return input != kNone && HasLast(input) && plan_.slots[input].type->Rank() == rank;
  });
  if (follows.use != ChannelsLastUse::kAsks && !any) return false;
  PlannedStep step = original;
  const bool over_all = follows.elementwise || follows.use == ChannelsLastUse::kByAxis ||
                        follows.use == ChannelsLastUse::kByDimension;
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    if (step.inputs[i] == kNone) continue;
    const bool addend = IsFused(step.call) && i == kFusedAddend;
    if (i == 0 || over_all || addend) {
      if (!TransposeInput(step, i)) return false;
    } else {
      NeedFirst(step.inputs[i]);
    }
  }
  if (follows.use == ChannelsLastUse::kByAxis) {
    const std::int64_t axis = step.call.parameters.Integer("axis", 0);
    const auto last = static_cast<std::int64_t>(rank) - 1;
    step.call.parameters.Set("axis", axis == 1 ? last : axis > 1 ? axis - 1 : axis);
  }
  if (follows.use == ChannelsLastUse::kByDimension) PermuteDimensions(rank, step.call.parameters);
  if (!over_all) step.call.parameters.Set("channels_last", std::int64_t{1});
  return Put(std::move(step), original.outputs[0]);
}

void ChannelsLastPass::Run() {
  std::vector<PlannedStep> steps = std::move(plan_.steps);
  plan_.steps.clear();
  for (PlannedStep& step : steps) {
    if (Follow(step)) continue;
    for (const ValueId input : step.inputs) NeedFirst(input);
    plan_.steps.push_back(std::move(step));
  }
  for (const ValueId output : plan_.outputs) NeedFirst(output);
}

}  // namespace

void PutChannelsLast(ExecutionPlan& plan, const RecordedChoices* choices) {
  const auto asks = [](const PlannedStep& step) {
    return step.kernel->properties().channels_last == ChannelsLastUse::kAsks;
  };
  if (std::any_of(plan.steps.begin(), plan.steps.end(), asks))
    ChannelsLastPass(plan, choices).Run();
}

}  // namespace opledger
