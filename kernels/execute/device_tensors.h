// The memory of a plan for a device that is there: an arena, and what it reads of constants and
// inputs; and copies between it and the CPU's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/machine/device.h"
#include "kernels/plan/plan.h"

namespace opledger {

class DeviceTensors {
 public:
  // Takes all the memory at once, and the constants there. `problem`, where it is not empty, says
  // why it could not.
  DeviceTensors(const ExecutionPlan& plan, const Device& device, std::string& problem);
  ~DeviceTensors();
  DeviceTensors(const DeviceTensors&) = delete;
  DeviceTensors& operator=(const DeviceTensors&) = delete;

  // Of a root that is on the device.
  std::byte* At(ValueId root) const { return memory_ + offset_[root]; }
  std::byte* Workspace(const PlannedStep& step) const { return memory_ + step.workspace_offset; }
  // A root that is on the device, from the CPU. What is queued after it finds it there.
  void Upload(const void* host, ValueId root, std::string& problem);
  // To the CPU, as soon as all is done that was queued before; then it is there.
  void Download(ValueId root, void* host, std::string& problem);
  // For those who look at what steps give: to memory of its own, where it stays until the next.
  const void* Show(ValueId root, std::string& problem);
  const void* Shown(ValueId root) const { return shown_[root].get(); }
  void Wait(std::string& problem);

 private:
  const Device& device_;
  std::byte* memory_ = nullptr;
  std::vector<std::size_t> offset_;  // of each value
  std::vector<std::size_t> bytes_;
  std::vector<AlignedBytes> shown_;
};

}  // namespace opledger
