// All pointers that do not change between runs are found once.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/executor.h"

namespace opledger {

Executor::Executor(ExecutionPlan plan, Arena arena)
    : plan_(std::move(plan)),
      own_(AllocateAligned(arena == Arena::kOwn ? plan_.arena : 0)),
      data_(plan_.slots.size(), nullptr) {
  for (std::size_t value = 0; value < plan_.slots.size(); ++value) {
    const Slot& slot = plan_.slots[value];
    if (slot.place == Slot::Place::kConstant) data_[value] = slot.constant.data.get();
  }
  for (const PlannedStep& step : plan_.steps) {
    Pointers pointers;
    pointers.inputs.resize(step.inputs.size());
    pointers.outputs.resize(step.outputs.size());
    pointers_.push_back(std::move(pointers));
  }
  if (arena == Arena::kOwn) Place(own_.get());
}

void Executor::Place(std::byte* arena) {
  if (arena == arena_) return;
  arena_ = arena;
  for (std::size_t value = 0; value < plan_.slots.size(); ++value) {
    const Slot& slot = plan_.slots[value];
    if (slot.place == Slot::Place::kArena) data_[value] = arena_ + slot.offset;
  }
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const std::vector<ValueId>& outputs = plan_.steps[i].outputs;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      pointers_[i].outputs[k] =
          outputs[k] == kNone ? nullptr : arena_ + plan_.slots[outputs[k]].offset;
    }
  }
}

void Executor::Run(const std::vector<const void*>& inputs) { Run(inputs, nullptr); }

void Executor::Run(const std::vector<const void*>& inputs, const Done& done) {
  for (std::size_t i = 0; i < plan_.inputs.size(); ++i) data_[plan_.inputs[i]] = inputs[i];
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const PlannedStep& step = plan_.steps[i];
    for (std::size_t k = 0; k < step.inputs.size(); ++k) {
      pointers_[i].inputs[k] = step.inputs[k] == kNone ? nullptr : Data(step.inputs[k]);
    }
    step.run(pointers_[i].inputs.data(), pointers_[i].outputs.data(),
             arena_ + step.workspace_offset);
    if (done) done(step);
  }
}

}  // namespace opledger
