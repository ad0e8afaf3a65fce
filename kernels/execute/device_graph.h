// Captures steps of a plan as a graph of a device, which is queued at once at a fraction of the
// host's cost. The first run is queued step by step, because kernels initialize things in it; the
// second one is captured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "kernels/machine/device.h"
#include "kernels/machine/status.h"

namespace opledger {

class DeviceGraph {
 public:
  explicit DeviceGraph(const Device& device) : device_(device) {}
  ~DeviceGraph();
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;

  // Queues the work that `queue` queues, which must always be the same. `status`: see
  // Executor::status.
  void Queue(const std::function<void()>& queue, Status& status);

 private:
  bool Capture(const std::function<void()>& queue);

  const Device& device_;
  int runs_ = 0;
  void* graph_ = nullptr;
};

}  // namespace opledger
