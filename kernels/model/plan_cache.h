// A model that is run on many inputs in one process: a plan for each of their shapes, made when it
// is first met, and kept as long as there are not too many.
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
  // Plans share the weights that they pack alike (SharedBytes), and on the CPU the memory that they
  // run on.
  static constexpr std::size_t kMaxPlans = 8;

  // `request`: all but what the inputs say. `device`: nullptr for the CPU.
  PlanCache(PlanRequest request, const Device* device)
      : request_(std::move(request)), device_(device) {}

  // What runs these inputs, until the next call. nullptr: there is no plan, and why.
  Executor* For(const ModelInputs& inputs, Status& problem);
  // How many plans were made.
  std::size_t made() const { return made_; }

 private:
  Executor* UseFirst();

  struct Kept {
    std::string key;  // empty: it serves no other inputs
    std::unique_ptr<Executor> executor;
  };

  PlanRequest request_;
  const Device* device_;
  std::list<Kept> kept_;  // what was used last is first
  AlignedBytes arena_;    // of the plans on the CPU
  std::size_t made_ = 0;
};

}  // namespace opledger
