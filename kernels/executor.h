// Runs a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "kernels/execution_plan.h"

namespace opledger {

class Executor {
 public:
  // Whose memory it runs on: its own, or what Place lends it before each run.
  enum class Arena : std::uint8_t { kOwn, kLent };
  explicit Executor(ExecutionPlan plan, Arena arena = Arena::kOwn);
  // As large as the plan's arena, aligned as tensors are. It allocates nothing.
  void Place(std::byte* arena);

  const ExecutionPlan& plan() const { return plan_; }
  // Inputs in the plan's order, of its types; they are only read, and may go after the call. It
  // allocates nothing.
  void Run(const std::vector<const void*>& inputs);
  // As Run; `done` is called behind each step.
  using Done = std::function<void(const PlannedStep&)>;
  void Run(const std::vector<const void*>& inputs, const Done& done);
  // The numbers of a value of the graph, until the next run; of those inside it is gone once its
  // memory serves another, so ask for it in `done`.
  const void* Data(ValueId value) const { return data_[plan_.Root(value)]; }

 private:
  struct Pointers {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
  };

  ExecutionPlan plan_;
  AlignedBytes own_;
  std::byte* arena_ = nullptr;
  std::vector<const void*> data_;   // of each value that is no view
  std::vector<Pointers> pointers_;  // of each step
};

}  // namespace opledger
