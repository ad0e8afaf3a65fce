// Captures the work in the second run. If that fails, every run queues its steps one by one.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/execute/device_graph.h"

namespace opledger {

DeviceGraph::~DeviceGraph() {
  if (graph_ != nullptr) device_.destroy_graph(graph_);
}

bool DeviceGraph::Capture(const std::function<void()>& queue) {
  if (device_.begin_capture() != nullptr) return false;
  queue();
  if (device_.end_capture(&graph_) == nullptr) return true;
  graph_ = nullptr;
  device_.wait();  // discard errors that launches reported because they were captured
  return false;
}

void DeviceGraph::Queue(const std::function<void()>& queue, Status& status) {
  if (graph_ == nullptr && (++runs_ != 2 || !Capture(queue))) return queue();
  const char* what = device_.launch_graph(graph_);
  if (what != nullptr && status.ok()) status = what;
}

}  // namespace opledger
