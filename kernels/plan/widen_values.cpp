// Keeps 16-bit values between steps as float32, rounded as storing them would: where products are
// computed in float32 anyway, this saves conversions. Goes in the order of the steps; a value that
// a step needs in 16 bits is cast once. The bits stay the same.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/kernel/narrow_products.h"
#include "kernels/plan/passes.h"

namespace opledger {
namespace {

// Larger constants are not also kept in float32, except for weights, which kernels pack.
constexpr std::size_t kMaxConstant = std::size_t{1} << 20;  // bytes

class WidenPass {
 public:
  explicit WidenPass(ExecutionPlan& plan, Dtype narrow) : plan_(plan), narrow_(narrow) {}

  void Run();

 private:
  bool IsNarrow(ValueId value) const {
    return value != kNone && plan_.slots[value].type && plan_.slots[value].type->dtype == narrow_;
  }
  bool Cast(ValueId from, Dtype to, bool rounds, ValueId result);
  ValueId NeedWide(ValueId value);
  void NeedNarrow(ValueId value);
  bool MayWiden(const PlannedStep& step) const;
  bool Widen(const PlannedStep& original);
  bool WidenCast(const PlannedStep& original);

  ExecutionPlan& plan_;
  Dtype narrow_;
  std::map<ValueId, ValueId> wide_;  // the float32 version of a value
  std::set<ValueId> owed_;           // roots that exist only in float32 so far
};

// Adds a cast: `result` is `from` in another type, or in float32 rounded to the narrow type.
bool WidenPass::Cast(ValueId from, Dtype to, bool rounds, ValueId result) {
  PlannedStep step;
  step.call.inputs = {plan_.slots[from].type};
  step.call.constants = {plan_.ConstantOf(from)};
  step.call.parameters.Set("to", DtypeName(to));
  if (rounds) step.call.parameters.Set("through", DtypeName(narrow_));
  ChosenKernel chosen = ChooseKernel("Cast", step.call, {true});
  if (chosen.entry == nullptr) return false;
  step.kernel = chosen.entry;
  step.inputs = {from};
  step.outputs = {result};
  AddStep(plan_, std::move(step), std::move(chosen.prepared));
  return true;
}

// Returns the float32 version of a value, adding a cast if needed. Returns kNone if that fails.
ValueId WidenPass::NeedWide(ValueId value) {
  const auto found = wide_.find(value);
  if (found != wide_.end()) return found->second;
  const ValueId root = plan_.Root(value);
  const auto of_root = wide_.find(root);
  const ValueId wide = plan_.AddSlot(value);
  if (of_root != wide_.end()) {
    plan_.slots[wide].type = {Dtype::kFloat32, plan_.slots[value].type->dimensions};
    plan_.slots[wide].view_of = of_root->second;
  } else if (!Cast(value, Dtype::kFloat32, false, wide)) {
    return kNone;
  }
  wide_[value] = wide;
  return wide;
}

void WidenPass::NeedNarrow(ValueId value) {
  if (value == kNone) return;
  const ValueId root = plan_.Root(value);
  if (owed_.erase(root) == 0) return;
  Cast(wide_.at(root), narrow_, false, root);
}

bool WidenPass::MayWiden(const PlannedStep& step) const {
  if (step.kernel->rounding() == Rounding::kUnsaid) return false;
  const bool is_contraction = step.kernel->properties().fuses != FusedChannel::kNone;
  bool any = false;
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    if (!step.call.Has(i) || step.call.Input(i).dtype != narrow_) continue;
    if (step.inputs[i] == kNone) return false;
    const bool constant = step.call.constants[i] != nullptr;
    if (constant && !is_contraction && Bytes(step.call.Input(i)) > kMaxConstant) return false;
    any = any || !constant;
  }
  return any;
}

// A cast to the narrow type rounds, except from bool and bytes, whose values it represents exactly.
bool WidenPass::WidenCast(const PlannedStep& original) {
  const ValueId result = original.outputs[0];
  const Dtype from = original.call.Input(0).dtype;
  const bool rounds = from == Dtype::kFloat32 && !original.call.parameters.Has("small");
  const bool exact = from == Dtype::kBool || from == Dtype::kInt8 || from == Dtype::kUint8;
  if (!IsNarrow(result) || !(rounds || exact)) return false;
  plan_.slots[result].place = Slot::Place::kUnused;
  const ValueId wide = plan_.AddSlot(result);
  if (!Cast(original.inputs[0], Dtype::kFloat32, rounds, wide)) return false;
  wide_[result] = wide;
  owed_.insert(result);
  return true;
}

// Replaces the step by one in float32 whose result is rounded.
bool WidenPass::Widen(const PlannedStep& original) {
  if (original.kernel->name() == "Cast" && WidenCast(original)) return true;
  if (!MayWiden(original)) return false;
  PlannedStep step = original;
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    if (!step.call.Has(i) || step.call.Input(i).dtype != narrow_) continue;
    const ValueId wide = NeedWide(step.inputs[i]);
    if (wide == kNone) return false;
    step.inputs[i] = wide;
    step.call.inputs[i]->dtype = Dtype::kFloat32;
    step.call.constants[i] = plan_.ConstantOf(wide);
  }
  ChosenKernel chosen = ChooseKernel(step.kernel->name(), step.call, {true});
  if (chosen.entry == nullptr) return false;
  step.is_widened = true;
  const bool rounds = !GivesNumbersOfInputs(step);
  std::vector<std::pair<ValueId, ValueId>> to_round;
  for (ValueId& output : step.outputs) {
    if (!IsNarrow(output)) continue;
    const ValueId value = output;
    plan_.slots[value].place = Slot::Place::kUnused;
    const ValueId wide = plan_.AddSlot(value);
    wide_[value] = wide;
    owed_.insert(value);
    output = rounds ? plan_.AddSlot(value) : wide;
    if (rounds) to_round.emplace_back(output, wide);
  }
  AddStep(plan_, std::move(step), std::move(chosen.prepared));
  for (const auto& [exact, rounded] : to_round) Cast(exact, Dtype::kFloat32, true, rounded);
  return true;
}

void WidenPass::Run() {
  std::vector<PlannedStep> steps = std::move(plan_.steps);
  plan_.steps.clear();
  for (PlannedStep& step : steps) {
    for (ValueId& input : step.inputs) {
      if (input != kNone) input = plan_.Canonical(input);
    }
    if (Widen(step)) continue;
    for (const ValueId input : step.inputs) NeedNarrow(input);
    plan_.steps.push_back(std::move(step));
  }
  for (const ValueId output : plan_.outputs) NeedNarrow(output);
}

}  // namespace

bool IsRounding(const PlannedStep& step) {
  return step.kernel->name() == "Cast" && step.call.parameters.Has("through");
}

bool GivesNumbersOfInputs(const PlannedStep& step) {
  if (step.kernel->name() == "Clip") {
    return !step.call.parameters.Has("min") && !step.call.parameters.Has("max");
  }
  return step.kernel->rounding() == Rounding::kNone;
}

void WidenValues(ExecutionPlan& plan) {
  for (const Dtype narrow : kNarrowDtypes) {
    const auto multiplies = [&](const PlannedStep& step) {
      return step.kernel->properties().fuses != FusedChannel::kNone &&
             step.call.Input(0).dtype == narrow;
    };
    if (std::none_of(plan.steps.begin(), plan.steps.end(), multiplies)) continue;
    if (MultipliesNarrow(narrow)) continue;
    WidenPass(plan, narrow).Run();
  }
}

}  // namespace opledger
