// Runs a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/device_recording.h"
#include "kernels/device_tensors.h"
#include "kernels/execution_plan.h"

namespace opledger {

class Executor {
 public:
  // Whose memory it runs on: its own, or what Place lends it before each run.
  enum class Arena : std::uint8_t { kOwn, kLent };
  explicit Executor(ExecutionPlan plan, Arena arena = Arena::kOwn);
  // On a device, for which the plan's kernels are.
  Executor(ExecutionPlan plan, const Device& device);
  // As large as the plan's arena, aligned as tensors are. It allocates nothing.
  void Place(std::byte* arena);

  const ExecutionPlan& plan() const { return plan_; }
  // Inputs in the plan's order, of its types; they are only read, and may go after the call. It
  // allocates nothing.
  void Run(const std::vector<const void*>& inputs);
  // As Run; `done` is called behind each step, and may look at what it made, or only at the clock.
  using Done = std::function<void(const PlannedStep&)>;
  enum class Looks : std::uint8_t { kAtOutputs, kAtTheClock };
  void Run(const std::vector<const void*>& inputs, const Done& done,
           Looks looks = Looks::kAtOutputs);
  // The numbers of a value of the graph, until the next run; of those inside it is gone once its
  // memory serves another, so ask for it in `done`.
  const void* Data(ValueId value) const {
    const ValueId root = plan_.Root(value);
    const void* given = device_ == nullptr ? nullptr : device_->Given(root);
    return given != nullptr ? given : data_[root];
  }
  // What went wrong on the device, first; empty: nothing. Without one nothing can.
  const std::string& problem() const { return problem_; }

 private:
  struct Pointers {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
  };

  void Connect();
  void Take(const std::vector<const void*>& inputs);
  void RunSteps(const Done& done, Looks looks);
  void Give(const std::vector<ValueId>& values);

  ExecutionPlan plan_;
  AlignedBytes own_;
  std::unique_ptr<DeviceTensors> device_;  // nullptr: the CPU
  std::unique_ptr<DeviceRecording> recording_;
  std::string problem_;
  std::byte* arena_ = nullptr;
  std::vector<const void*> data_;   // of each value that is no view: what kernels read
  std::vector<Pointers> pointers_;  // of each step
};

}  // namespace opledger
