// Places all tensors in a single allocation: the arena first, then constants and inputs.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/execute/device_tensors.h"

namespace opledger {
namespace {

constexpr std::size_t kDeviceAlignment = 256;  // alignment for fast reads

std::size_t UpToAlignment(std::size_t bytes) {
  return (bytes + kDeviceAlignment - 1) / kDeviceAlignment * kDeviceAlignment;
}

void NoteFirst(const char* what, Status& status) {
  if (what != nullptr && status.ok()) status = what;
}

}  // namespace

DeviceTensors::DeviceTensors(const ExecutionPlan& plan, const Device& device, Status& status)
    : device_(device),
      offset_(plan.slots.size(), 0),
      bytes_(plan.slots.size(), 0),
      shown_(plan.slots.size()) {
  std::size_t end = UpToAlignment(plan.device_arena);
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    const Slot& slot = plan.slots[i];
    if (slot.type) bytes_[i] = Bytes(*slot.type);
    if (!slot.on_device) continue;
    offset_[i] = slot.offset;
    if (slot.place == Slot::Place::kArena) continue;
    offset_[i] = end;
    end += UpToAlignment(bytes_[i]);
  }
  void* memory = nullptr;
  NoteFirst(device.allocate(end, &memory), status);
  if (memory == nullptr) return;
  memory_ = static_cast<std::byte*>(memory);
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    const Slot& slot = plan.slots[i];
    if (slot.place != Slot::Place::kConstant || !slot.on_device) continue;
    NoteFirst(
        device.copy_in(slot.constant.data.get(), memory_ + offset_[i], Bytes(slot.constant.type)),
        status);
  }
}

DeviceTensors::~DeviceTensors() {
  if (memory_ != nullptr) device_.release(memory_);
}

void DeviceTensors::Upload(const void* host, ValueId root, Status& status) {
  NoteFirst(device_.copy_in(host, memory_ + offset_[root], bytes_[root]), status);
}

// Waiting also reports errors of launches, so that the CPU never reads data that was not computed.
void DeviceTensors::Download(ValueId root, void* host, Status& status) {
  NoteFirst(device_.copy_out(At(root), host, bytes_[root]), status);
  Wait(status);
}

const void* DeviceTensors::Show(ValueId root, Status& status) {
  if (shown_[root] == nullptr) shown_[root] = AllocateAligned(bytes_[root]);
  Download(root, shown_[root].get(), status);
  return shown_[root].get();
}

void DeviceTensors::Wait(Status& status) { NoteFirst(device_.wait(), status); }

}  // namespace opledger
