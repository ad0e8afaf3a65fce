// Pointers that do not change between runs are looked up once.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/execute/execute.h"

#include "kernels/kernel/step_problem.h"
#include "kernels/machine/run_limits.h"

namespace opledger {

Executor::Executor(ExecutionPlan plan, Arena arena)
    : plan_(std::move(plan)),
      is_inner_(arena == Arena::kInner),
      own_(AllocateAligned(arena == Arena::kOwn ? plan_.arena : 0)),
      data_(plan_.slots.size(), nullptr) {
  Connect();
  if (arena == Arena::kOwn) UseArena(own_.get());
}

Executor::Executor(ExecutionPlan plan, const Device& device)
    : plan_(std::move(plan)),
      own_(AllocateAligned(plan_.arena)),
      data_(plan_.slots.size(), nullptr) {
  device_ = std::make_unique<DeviceTensors>(plan_, device, status_);
  if (!status_.ok()) return;
  CutIntoSegments(device);
  Connect();
  UseArena(own_.get());
}

// A graph cannot contain steps of the CPU or waiting, so it ends before them. Capturing a single
// step saves nothing.
void Executor::CutIntoSegments(const Device& device) {
  const std::size_t end = plan_.steps.size();
  for (std::size_t first = 0, last = 0; first < end; first = last) {
    const bool on_device = plan_.steps[first].RunsOnDevice();
    while (last < end && plan_.steps[last].RunsOnDevice() == on_device) ++last;
    DeviceSegment& segment = segments_.emplace_back();
    segment.first = first;
    segment.end = last;
    if (on_device && last - first > 1) {
      segment.graph = std::make_unique<DeviceGraph>(device);
    }
  }
}

// Finds the pointers that do not depend on the arena.
void Executor::Connect() {
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
}

void Executor::UseArena(std::byte* arena) {
  if (arena == arena_) return;
  arena_ = arena;
  for (std::size_t value = 0; value < plan_.slots.size(); ++value) {
    const Slot& slot = plan_.slots[value];
    if (slot.place != Slot::Place::kArena || slot.on_device) continue;
    data_[value] = arena_ + slot.offset;
  }
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const std::vector<ValueId>& outputs = plan_.steps[i].outputs;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k] == kNone) continue;
      const Slot& slot = plan_.slots[outputs[k]];
      if (slot.place == Slot::Place::kCaller) continue;
      pointers_[i].outputs[k] = slot.on_device ? device_->At(outputs[k]) : arena_ + slot.offset;
    }
  }
}

void Executor::Place(ValueId value, std::byte* memory) {
  if (data_[value] == memory) return;
  data_[value] = memory;
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const std::vector<ValueId>& outputs = plan_.steps[i].outputs;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k] == value) pointers_[i].outputs[k] = memory;
    }
  }
}

void Executor::Run(const std::vector<const void*>& inputs) { Run(inputs, nullptr); }

// Sets the inputs, and copies those that the device reads.
void Executor::SetInputs(const std::vector<const void*>& inputs) {
  for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
    const ValueId input = plan_.inputs[i];
    data_[input] = inputs[i];
    const Slot& slot = plan_.slots[input];
    if (slot.on_device && slot.place == Slot::Place::kInput) {
      device_->Upload(inputs[i], input, status_);
    }
  }
}

void Executor::RunStep(std::size_t at) {
  const PlannedStep& step = plan_.steps[at];
  if (const char* why = is_inner_ ? nullptr : WhyToStop()) {  // a loop checks before each trip
    status_ = why;
    status_.node = step.node;
    return;
  }
  Pointers& pointers = pointers_[at];
  const bool on_device = step.RunsOnDevice();
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    if (step.inputs[i] == kNone) continue;
    const ValueId root = plan_.Root(step.inputs[i]);
    pointers.inputs[i] = on_device ? device_->At(root) : data_[root];
  }
  switch (step.copies) {
    case PlannedStep::Copies::kToDevice:
      return device_->Upload(pointers.inputs[0], step.outputs[0], status_);
    case PlannedStep::Copies::kToCpu:
      return device_->Download(step.inputs[0], pointers.outputs[0], status_);
    case PlannedStep::Copies::kNo:
      break;
  }
  step.run(pointers.inputs.data(), pointers.outputs.data(),
           on_device ? device_->Workspace(step) : arena_ + step.workspace_offset);
  if (!HasStepProblem()) return;
  status_ = TakeStepProblem();
  if (status_.node == kNone) status_.node = step.node;
}

std::string Executor::ProblemText(const Graph& graph) const {
  return (status_.node == kNone ? "on the GPU" : NodeText(graph, status_.node)) + ": " +
         status_.message;
}

// Stops after an error of the device, since the CPU would compute with garbage.
void Executor::RunSteps(std::size_t first, std::size_t end) {
  for (std::size_t at = first; at < end && status_.ok(); ++at) RunStep(at);
}

void Executor::RunAndLook(const Done& done, Looks looks) {
  for (std::size_t at = 0; at < plan_.steps.size() && status_.ok(); ++at) {
    RunStep(at);
    if (device_ != nullptr && looks == Looks::kAtOutputs) {
      for (const ValueId output : plan_.steps[at].outputs) {
        if (output != kNone && plan_.slots[output].on_device) device_->Show(output, status_);
      }
    }
    if (device_ != nullptr) device_->Wait(status_);
    done(plan_.steps[at]);
  }
}

void Executor::Run(const std::vector<const void*>& inputs, const Done& done, Looks looks) {
  if (!status_.ok()) return;
  if (!is_inner_) BeginRun();
  SetInputs(inputs);
  if (done) {
    RunAndLook(done, looks);
  } else if (device_ == nullptr) {
    RunSteps(0, plan_.steps.size());
  }
  if (done || device_ == nullptr) return;
  for (const DeviceSegment& segment : segments_) {
    if (!status_.ok()) return;
    if (segment.graph == nullptr) {
      RunSteps(segment.first, segment.end);
    } else {
      segment.graph->Queue([&] { RunSteps(segment.first, segment.end); }, status_);
    }
  }
  device_->Wait(status_);
}

}  // namespace opledger
