// Steps of a plan as a graph of a device: queued at once, which costs the host a fraction of
// queueing each. The first run is queued step by step, since kernels prepare things in it; the
// second is captured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "kernels/machine/device.h"
#include "kernels/machine/status.h"

namespace opledger {

class DeviceGraph {
 public:
  explicit DeviceGraph(const Device& device) : device_(device) {}
  ~DeviceGraph();
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;

  // Queues the work that `queue` queues, always the same. `status`: see Executor::status.
  void Queue(const std::function<void()>& queue, Status& status);

 private:
  bool Capture(const std::function<void()>& queue);

  const Device& device_;
  int runs_ = 0;
  void* graph_ = nullptr;
};

}  // namespace opledger
