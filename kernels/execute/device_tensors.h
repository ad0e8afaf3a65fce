// The device memory of a plan: an arena, and the constants and inputs that the device reads; and
// copies between it and the CPU's memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/machine/device.h"
#include "kernels/plan/plan.h"

namespace opledger {

class DeviceTensors {
 public:
  // Allocates all memory at once and copies the constants. Sets `status` on failure.
  DeviceTensors(const ExecutionPlan& plan, const Device& device, Status& status);
  ~DeviceTensors();
  DeviceTensors(const DeviceTensors&) = delete;
  DeviceTensors& operator=(const DeviceTensors&) = delete;

  // Address of a root that is on the device.
  std::byte* At(ValueId root) const { return memory_ + offset_[root]; }
  std::byte* Workspace(const PlannedStep& step) const { return memory_ + step.workspace_offset; }
  // Copies a root from the CPU to the device; work queued afterwards finds it there.
  void Upload(const void* host, ValueId root, Status& status);
  // Copies a root to the CPU, after all work queued before is done. Returns when it is there.
  void Download(ValueId root, void* host, Status& status);
  // Copies a step's result to host memory of its own, for observers; valid until the next call.
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
