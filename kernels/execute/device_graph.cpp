// A device that cannot record is given each step, run by run.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/execute/device_graph.h"

namespace opledger {

DeviceRecording::~DeviceRecording() {
  if (recording_ != nullptr) device_.forget(recording_);
}

bool DeviceRecording::Record(const std::function<void()>& queue) {
  if (device_.record() != nullptr) return false;
  queue();
  if (device_.recorded(&recording_) == nullptr) return true;
  recording_ = nullptr;
  device_.wait();  // what launches reported was that they were recorded
  return false;
}

void DeviceRecording::Queue(const std::function<void()>& queue, std::string& problem) {
  if (recording_ == nullptr && (++runs_ != 2 || !Record(queue))) return queue();
  const char* what = device_.replay(recording_);
  if (what != nullptr && problem.empty()) problem = what;
}

}  // namespace opledger
