// The memory of a plan for a device that is there: an arena, and what it reads of constants and
// inputs; and copies between it and the CPU's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/machine/device.h"
#include "kernels/plan/plan.h"

namespace opledger {

class DeviceTensors {
 public:
  // Takes all the memory at once, and the constants there. `status` says if it could.
  DeviceTensors(const ExecutionPlan& plan, const Device& device, Status& status);
  ~DeviceTensors();
  DeviceTensors(const DeviceTensors&) = delete;
  DeviceTensors& operator=(const DeviceTensors&) = delete;

  // Of a root that is on the device.
  std::byte* At(ValueId root) const { return memory_ + offset_[root]; }
  std::byte* Workspace(const PlannedStep& step) const { return memory_ + step.workspace_offset; }
  // A root that is on the device, from the CPU. What is queued after it finds it there.
  void Upload(const void* host, ValueId root, Status& status);
  // To the CPU, as soon as all is done that was queued before; then it is there.
  void Download(ValueId root, void* host, Status& status);
  // For those who look at what steps give: to memory of its own, where it stays until the next.
  const void* Show(ValueId root, Status& status);
  const void* Shown(ValueId root) const { return shown_[root].get(); }
  void Wait(Status& status);

 private:
  const Device& device_;
  std::byte* memory_ = nullptr;
  std::vector<std::size_t> offset_;  // of each value
  std::vector<std::size_t> bytes_;
  std::vector<AlignedBytes> shown_;
};

}  // namespace opledger
