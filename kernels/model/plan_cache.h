// Caches plans of a model that runs on many inputs in one process: a plan for each combination of
// input shapes, made on first use.
//   x (2, 8), x (5, 8), x (2, 8) again -> two plans
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <string>

#include "kernels/execute/execute.h"
#include "kernels/model/model_inputs.h"

namespace opledger {

class PlanCache {
 public:
  // Plans share packed weights (SharedBytes) and, on the CPU, the arena.
  static constexpr std::size_t kMaxPlans = 8;

  // `request`: everything except the inputs. `device`: nullptr for the CPU.
  PlanCache(PlanRequest request, const Device* device)
      : request_(std::move(request)), device_(device) {}

  // Returns an executor for these inputs, valid until the next call; nullptr, with a problem, if
  // there is no plan.
  Executor* For(const ModelInputs& inputs, Status& problem);
  // Number of plans made.
  std::size_t made() const { return made_; }

 private:
  Executor* UseFirst();

  struct Kept {
    std::string key;  // empty: the plan holds for one run only
    std::unique_ptr<Executor> executor;
  };

  PlanRequest request_;
  const Device* device_;
  std::list<Kept> kept_;  // most recently used first
  AlignedBytes arena_;    // of the plans on the CPU
  std::size_t made_ = 0;
};

}  // namespace opledger
