// Runs a plan; one for a device on both sides, its steps in their order: those of the device are
// queued there, and a step that copies to the CPU waits for all of them. In: a plan, inputs. Out:
// tensors.
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
  // Whose memory it runs on: its own, or what UseArena sets before each run: others run there at
  // other times, or its run is a part of another's, whose memory it is.
  enum class Arena : std::uint8_t { kOwn, kShared, kInner };
  explicit Executor(ExecutionPlan plan, Arena arena = Arena::kOwn);
  // On a device, for which the plan's kernels are.
  Executor(ExecutionPlan plan, const Device& device);
  // As large as the plan's arena, aligned as tensors are. It allocates nothing.
  void UseArena(std::byte* arena);
  // Where the steps write a value of Slot::Place::kCaller, a root, from now on; of its size, and
  // aligned as tensors are. It allocates nothing.
  void Place(ValueId value, std::byte* memory);

  const ExecutionPlan& plan() const { return plan_; }
  // Inputs in the plan's order, of its types; they are only read, and may go after the call. It
  // allocates nothing.
  void Run(const std::vector<const void*>& inputs);
  // As Run; `done` is called after each step, and may look at what it made, or only at the clock.
  using Done = std::function<void(const PlannedStep&)>;
  enum class Looks : std::uint8_t { kAtOutputs, kAtTheClock };
  void Run(const std::vector<const void*>& inputs, const Done& done,
           Looks looks = Looks::kAtOutputs);
  // The numbers of a value of the graph, until the next run; of those inside it is gone once its
  // memory serves another, so ask for it in `done`.
  const void* Data(ValueId value) const {
    const ValueId root = plan_.Root(value);
    return data_[root] == nullptr && device_ != nullptr ? device_->Shown(root) : data_[root];
  }
  // What went wrong first, on the device or with the numbers that a node was given; ok: nothing.
  // Its node is none if it was the device. No step runs after it, and nothing of the executor's is
  // of use any more.
  const Status& status() const { return status_; }
  // The same with the node of the graph, or "on the GPU".
  std::string ProblemText(const Graph& graph) const;

 private:
  struct Pointers {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
  };

  // Steps of the device that stand together, or what stands between such.
  struct DeviceSegment {
    std::size_t first = 0;
    std::size_t end = 0;
    std::unique_ptr<DeviceGraph> graph;  // nullptr: nothing to record
  };

  void Connect();
  void CutIntoSegments(const Device& device);
  void SetInputs(const std::vector<const void*>& inputs);
  void RunStep(std::size_t at);
  void RunSteps(std::size_t first, std::size_t end);
  void RunAndLook(const Done& done, Looks looks);

  ExecutionPlan plan_;
  bool is_inner_ = false;  // its run is a part of another's
  AlignedBytes own_;
  std::unique_ptr<DeviceTensors> device_;  // nullptr: the CPU alone
  std::vector<DeviceSegment> segments_;    // of a device
  Status status_;
  std::byte* arena_ = nullptr;
  std::vector<const void*> data_;   // of each value that is no view: what the CPU reads
  std::vector<Pointers> pointers_;  // of each step
};

}  // namespace opledger
