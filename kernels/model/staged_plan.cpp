// One stage for each node that needs values: first those that are shapes or the like, then all of
// its inputs.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/staged_plan.h"

#include <algorithm>
#include <cstring>

#include "kernels/execute/execute.h"

namespace opledger {
namespace {

constexpr int kMaxStages = 256;

// Returns whether a value may be a shape, axes, a count or a condition, as opposed to data.
bool IsHowMuch(const TensorType& type) {
  constexpr std::size_t kMaxNumbers = 64;
  const bool counts =
      type.dtype == Dtype::kInt64 || type.dtype == Dtype::kInt32 || type.dtype == Dtype::kBool;
  return counts && type.Rank() <= 1 && Elements(type.dimensions) <= kMaxNumbers;
}

std::vector<ValueId> Needed(const UnknownInputs& unknown) {
  std::vector<ValueId> values;
  for (const auto& [value, type] : unknown.values) {
    if (IsHowMuch(type)) values.push_back(value);
  }
  if (!values.empty()) return values;
  for (const auto& each : unknown.values) values.push_back(each.first);
  return values;
}

// Returns false if they cannot be computed.
bool Compute(PlanRequest& request, const ModelInputs& inputs, std::vector<ValueId> values,
             const RunStage& run) {
  const Graph& graph = *request.graph;
  std::erase_if(values, [&](ValueId value) {
    const auto input = inputs.tensors.find(std::string(graph.values[value].name));
    if (graph.values[value].producer != kNone || input == inputs.tensors.end()) return false;
    request.constants[input->first] = input->second;
    request.constants_of_run.insert(input->first);
    return true;
  });
  if (values.empty()) return true;
  PlanRequest stage = request;
  stage.part += stage.part.empty() ? "values" : " values";
  stage.wanted = values;
  stage.unknown = nullptr;
  stage.choice.device = "cpu";
  stage.shown = nullptr;
  stage.watch = nullptr;
  Status problem;
  auto plan = MakeExecutionPlan(stage, problem);
  if (!plan) return false;
  Executor executor(std::move(*plan));
  const std::vector<const void*> given = inputs.For(executor.plan(), graph);
  if (run) {
    run(executor, given);
  } else {
    executor.Run(given);
  }
  if (!executor.status().ok()) return false;
  for (const ValueId value : values) {
    ConstantTensor tensor(*executor.plan().slots[value].type);
    std::memcpy(tensor.data.get(), executor.Data(value), Bytes(tensor.type));
    request.known[value] = std::move(tensor);
  }
  return true;
}

}  // namespace

std::optional<ExecutionPlan> MakeStagedPlan(PlanRequest request, const ModelInputs& inputs,
                                            Status& problem, bool* in_stages, const RunStage& run) {
  UnknownInputs unknown;
  if (!request.choice.only_device) request.unknown = &unknown;
  for (int stage = 0;; ++stage) {
    unknown = {};
    if (stage > 0) request.part = "stage " + std::to_string(stage);
    auto plan = MakeExecutionPlan(request, problem);
    if (in_stages != nullptr) *in_stages = stage > 0;
    const bool needs_values = !plan && problem.code == StatusCode::kNeedsValues;
    const bool last = !needs_values || unknown.values.empty() || stage == kMaxStages ||
                      !Compute(request, inputs, Needed(unknown), run);
    if (!last) continue;
    if (request.binding->release) request.binding->release();
    return plan;
  }
}

}  // namespace opledger
