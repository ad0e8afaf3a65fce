// All pointers that do not change between runs are found once.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/executor.h"

namespace opledger {

Executor::Executor(ExecutionPlan plan, Arena arena)
    : plan_(std::move(plan)),
      own_(AllocateAligned(arena == Arena::kOwn ? plan_.arena : 0)),
      data_(plan_.slots.size(), nullptr) {
  Connect();
  if (arena == Arena::kOwn) Place(own_.get());
}

Executor::Executor(ExecutionPlan plan, const Device& device)
    : plan_(std::move(plan)), data_(plan_.slots.size(), nullptr) {
  device_ = std::make_unique<DeviceTensors>(plan_, device, problem_);
  if (!problem_.empty()) return;
  recording_ = std::make_unique<DeviceRecording>(device);
  Connect();
  Place(device_->arena());
}

// What is known before there is an arena.
void Executor::Connect() {
  for (std::size_t value = 0; value < plan_.slots.size(); ++value) {
    const Slot& slot = plan_.slots[value];
    if (slot.place != Slot::Place::kConstant || slot.constant.data == nullptr) continue;
    data_[value] =
        device_ == nullptr ? slot.constant.data.get() : device_->At(static_cast<ValueId>(value));
  }
  for (const PlannedStep& step : plan_.steps) {
    Pointers pointers;
    pointers.inputs.resize(step.inputs.size());
    pointers.outputs.resize(step.outputs.size());
    pointers_.push_back(std::move(pointers));
  }
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

// Inputs, to the device where there is one.
void Executor::Take(const std::vector<const void*>& inputs) {
  for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
    const ValueId input = plan_.inputs[i];
    if (device_ == nullptr) {
      data_[input] = inputs[i];
    } else if (plan_.slots[input].place == Slot::Place::kInput) {
      device_->Take(inputs[i], input, problem_);
      data_[input] = device_->At(input);
    }
  }
}

// To the host.
void Executor::Give(const std::vector<ValueId>& values) {
  for (const ValueId value : values) {
    if (value == kNone) continue;
    const ValueId root = plan_.Root(value);
    device_->Give(root, data_[root], problem_);
  }
}

void Executor::RunSteps(const Done& done, Looks looks) {
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const PlannedStep& step = plan_.steps[i];
    for (std::size_t k = 0; k < step.inputs.size(); ++k) {
      pointers_[i].inputs[k] =
          step.inputs[k] == kNone ? nullptr : data_[plan_.Root(step.inputs[k])];
    }
    step.run(pointers_[i].inputs.data(), pointers_[i].outputs.data(),
             arena_ + step.workspace_offset);
    if (!done) continue;
    if (device_ != nullptr && looks == Looks::kAtOutputs) Give(step.outputs);
    if (device_ != nullptr) device_->Wait(problem_);
    done(step);
  }
}

void Executor::Run(const std::vector<const void*>& inputs, const Done& done, Looks looks) {
  if (!problem_.empty()) return;
  Take(inputs);
  if (recording_ == nullptr || done) {
    RunSteps(done, looks);
  } else {
    recording_->Queue([this] { RunSteps(nullptr, Looks::kAtOutputs); }, problem_);
  }
  if (device_ == nullptr) return;
  device_->Wait(problem_);
  Give(plan_.outputs);
}

}  // namespace opledger
