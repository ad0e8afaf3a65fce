// Finds plans by a key with everything that they depend on: the types of the inputs, and the values
// of those that are constants of the plan.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/plan_cache.h"

#include <algorithm>

#include "kernels/model/staged_plan.h"

namespace opledger {
namespace {

std::string KeyOf(const PlanRequest& request) {
  std::string key;
  for (const auto& [name, type] : request.inputs) key += name + " " + Text(type) + "\n";
  for (const auto& [name, tensor] : request.constants) {
    key += name + " ";
    key.append(reinterpret_cast<const char*>(tensor.data.get()), Bytes(tensor.type));
  }
  return key;
}

}  // namespace

Executor* PlanCache::For(const ModelInputs& inputs, Status& problem) {
  PlanRequest request = request_;
  inputs.Describe(request);
  std::string key = KeyOf(request);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return UseFirst();
  }
  std::erase_if(kept_, [](const Kept& kept) { return kept.key.empty(); });
  if (kept_.size() == kMaxPlans) kept_.pop_back();
  bool in_stages = false;
  auto plan = MakeStagedPlan(request, inputs, problem, &in_stages);
  if (!plan && !kept_.empty()) {  // perhaps the other plans use too much memory
    kept_.clear();
    arena_.reset();
    problem = {};
    plan = MakeStagedPlan(request, inputs, problem, &in_stages);
  }
  if (!plan) return nullptr;
  ++made_;
  auto executor = device_ == nullptr
                      ? std::make_unique<Executor>(std::move(*plan), Executor::Arena::kShared)
                      : std::make_unique<Executor>(std::move(*plan), *device_);
  kept_.push_front({in_stages ? std::string() : std::move(key), std::move(executor)});
  return UseFirst();
}

Executor* PlanCache::UseFirst() {
  Executor* executor = kept_.front().executor.get();
  if (device_ != nullptr) return executor;
  const std::size_t needed = executor->plan().arena;
  if (arena_ == nullptr || arena_.get_deleter().bytes < needed) {
    arena_.reset();
    arena_ = AllocateAligned(needed);
  }
  executor->UseArena(arena_.get());
  return executor;
}

}  // namespace opledger
