// Values in the arena are copied after the step that computes them.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/execute/recorded_run.h"

#include <cstring>

namespace opledger {
namespace {

ConstantTensor CopyOf(const TensorType& type, const void* data) {
  ConstantTensor copy(type);
  std::memcpy(copy.data.get(), data, Bytes(type));
  return copy;
}

}  // namespace

std::size_t RecordedBytes(const ExecutionPlan& plan) {
  std::size_t bytes = 0;
  for (const Slot& slot : plan.slots) {
    const bool is_copied = slot.place == Slot::Place::kArena || slot.place == Slot::Place::kInput;
    if (is_copied && slot.view_of == kNone) bytes += Bytes(*slot.type);
  }
  return bytes;
}

RecordedValues RunAndRecord(Executor& executor, const std::vector<const void*>& inputs) {
  const ExecutionPlan& plan = executor.plan();
  RecordedValues values(plan.slots.size());
  executor.Run(inputs, [&](const PlannedStep& step) {
    for (const ValueId output : step.outputs) {
      if (output == kNone) continue;
      values[output] = CopyOf(*plan.slots[output].type, executor.Data(output));
    }
  });
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Slot& slot = plan.slots[i];
    if (slot.place == Slot::Place::kConstant) values[i] = slot.constant;
    if (slot.place == Slot::Place::kInput) values[i] = CopyOf(*slot.type, executor.Data(i));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (plan.slots[i].view_of == kNone) continue;
    values[i] = values[plan.Root(static_cast<ValueId>(i))];
    values[i].type = *plan.slots[i].type;
  }
  return values;
}

}  // namespace opledger
