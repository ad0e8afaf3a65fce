// All pointers that do not change between runs are found once.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/executor.h"

namespace opledger {

Executor::Executor(ExecutionPlan plan)
    : plan_(std::move(plan)),
      arena_(AllocateAligned(plan_.arena)),
      data_(plan_.slots.size(), nullptr) {
  for (std::size_t value = 0; value < plan_.slots.size(); ++value) {
    const Slot& slot = plan_.slots[value];
    if (slot.place == Slot::Place::kConstant) data_[value] = slot.constant.data.get();
    if (slot.place == Slot::Place::kArena) data_[value] = arena_.get() + slot.offset;
  }
  for (const PlannedStep& step : plan_.steps) {
    Pointers pointers;
    pointers.inputs.resize(step.inputs.size());
    for (const ValueId output : step.outputs) {
      pointers.outputs.push_back(output == kNone ? nullptr
                                                 : arena_.get() + plan_.slots[output].offset);
    }
    pointers_.push_back(std::move(pointers));
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
             arena_.get() + step.workspace_offset);
    if (done) done(step);
  }
}

}  // namespace opledger
