// The tensors of a plan that runs on a device: its arena, constants and inputs there, and what the
// host sees of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device.h"
#include "kernels/execution_plan.h"

namespace opledger {

class DeviceTensors {
 public:
  // Takes all the memory at once, and the constants there. `problem`, where it is not empty, says
  // why it could not.
  DeviceTensors(const ExecutionPlan& plan, const Device& device, std::string& problem);
  ~DeviceTensors();
  DeviceTensors(const DeviceTensors&) = delete;
  DeviceTensors& operator=(const DeviceTensors&) = delete;

  std::byte* arena() const { return memory_; }
  // Of a constant or an input; on the device.
  const void* At(ValueId root) const { return memory_ + offset_[root]; }
  // An input, from the host.
  void Take(const void* host, ValueId root, std::string& problem);
  // A value to the host, where it stays until it is given again.
  const void* Give(ValueId root, const void* from, std::string& problem);
  const void* Given(ValueId root) const { return given_[root].get(); }
  void Wait(std::string& problem);

 private:
  const Device& device_;
  std::byte* memory_ = nullptr;
  std::vector<std::size_t> offset_;  // of each value
  std::vector<std::size_t> bytes_;
  std::vector<AlignedBytes> given_;
};

}  // namespace opledger
