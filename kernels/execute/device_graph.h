// Steps of a plan as a device's recording: queued at once, which costs the host a fraction of
// queueing each. The first run is queued step by step, since kernels prepare things in it; the
// second is recorded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "kernels/machine/device.h"

namespace opledger {

class DeviceRecording {
 public:
  explicit DeviceRecording(const Device& device) : device_(device) {}
  ~DeviceRecording();
  DeviceRecording(const DeviceRecording&) = delete;
  DeviceRecording& operator=(const DeviceRecording&) = delete;

  // Queues the work that `queue` queues, always the same. `problem`: see Executor::problem.
  void Queue(const std::function<void()>& queue, std::string& problem);

 private:
  bool Record(const std::function<void()>& queue);

  const Device& device_;
  int runs_ = 0;
  void* recording_ = nullptr;
};

}  // namespace opledger
