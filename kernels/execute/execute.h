// Runs a plan, on the CPU or on the CPU and a device, step by step: steps of the device are queued
// there, and a step that copies to the CPU waits for all of them. In: a plan, inputs. Out: tensors.
// May include: kernels/kernel, kernels/machine, kernels/plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/execute/device_graph.h"
#include "kernels/execute/device_tensors.h"
#include "kernels/plan/plan.h"

namespace opledger {

class Executor {
 public:
  // Whose arena it runs on: its own, or the one that UseArena sets before each run, either because
  // others use it at other times or because the run is part of another's.
  enum class Arena : std::uint8_t { kOwn, kShared, kInner };
  explicit Executor(ExecutionPlan plan, Arena arena = Arena::kOwn);
  // Runs on a device; the plan must be made for it.
  Executor(ExecutionPlan plan, const Device& device);
  // `arena`: as large as the plan's arena, aligned as tensors are. Does not allocate.
  void UseArena(std::byte* arena);
  // Sets the memory to which steps write a value, which has to be a root of Slot::Place::kCaller.
  // `memory`: as large as the value, aligned as tensors are. Does not allocate.
  void Place(ValueId value, std::byte* memory);

  const ExecutionPlan& plan() const { return plan_; }
  // `inputs`: in the plan's order, with its types; they are only read, and may be freed after the
  // call. Does not allocate.
  void Run(const std::vector<const void*>& inputs);
  // As Run, but calls `done` after each step. `looks`: whether it reads the step's outputs or only
  // the clock.
  using Done = std::function<void(const PlannedStep&)>;
  enum class Looks : std::uint8_t { kAtOutputs, kAtTheClock };
  void Run(const std::vector<const void*>& inputs, const Done& done,
           Looks looks = Looks::kAtOutputs);
  // Data of a value, valid until the next run. Inside the graph the memory is reused by later
  // steps, so read it in `done`.
  const void* Data(ValueId value) const {
    const ValueId root = plan_.Root(value);
    return data_[root] == nullptr && device_ != nullptr ? device_->Shown(root) : data_[root];
  }
  // Returns the first error, of the device or of a node's data; ok if none. `node` is kNone for the
  // device. No step runs after an error, and the results are invalid.
  const Status& status() const { return status_; }
  // Returns the error with the node of the graph, or "on the GPU".
  std::string ProblemText(const Graph& graph) const;

 private:
  struct Pointers {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
  };

  // Consecutive steps of the device, or of the CPU between them.
  struct DeviceSegment {
    std::size_t first = 0;
    std::size_t end = 0;
    std::unique_ptr<DeviceGraph> graph;  // nullptr: not captured
  };

  void Connect();
  void CutIntoSegments(const Device& device);
  void SetInputs(const std::vector<const void*>& inputs);
  void RunStep(std::size_t at);
  void RunSteps(std::size_t first, std::size_t end);
  void RunAndLook(const Done& done, Looks looks);

  ExecutionPlan plan_;
  bool is_inner_ = false;  // its run is part of another one
  AlignedBytes own_;
  std::unique_ptr<DeviceTensors> device_;  // nullptr: CPU only
  std::vector<DeviceSegment> segments_;    // with a device
  Status status_;
  std::byte* arena_ = nullptr;
  std::vector<const void*> data_;   // of each root: what the CPU reads
  std::vector<Pointers> pointers_;  // of each step
};

}  // namespace opledger
