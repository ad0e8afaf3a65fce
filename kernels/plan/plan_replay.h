// Follows a recorded plan: fuses the same nodes, keeps channels last in the same tensors, and
// chooses the same kernels. If the model, the program or the machine differs, reports the line of
// the plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kernels/plan/plan.h"
#include "kernels/plan/recorded_plan.h"

namespace opledger {

// The choices for one graph, which the passes query. Nodes are identified by name.
class RecordedChoices {
 public:
  RecordedChoices(const Graph& graph, const RecordedGraph& recorded);

  // Returns whether `step` also computes the node `reader`.
  bool Fuses(const PlannedStep& step, NodeId reader) const;
  bool HasChannelsLast(const PlannedStep& step) const;

 private:
  const Graph& graph_;
  std::set<std::pair<std::string, std::string>> fused_;  // names of a step's node and a fused node
  std::set<std::pair<std::string, std::string>> last_;   // names of a node and of its kernel
};

class PlanReplay {
 public:
  explicit PlanReplay(RecordedPlan plan) : plan_(std::move(plan)) {}

  const RecordedPlan& plan() const { return plan_; }

  // Returns the record for a graph, or a part of its runs, with these input types; otherwise one
  // for other types or parts. Returns nullptr and sets the problem if there is none.
  const RecordedGraph* Find(const Graph& graph, ScopeId scope, const std::string& part,
                            const ExecutionPlan& plan);
  // Gives each step of `plan` the kernel that its record names. `device`: where steps run unless
  // the record says otherwise; `asks_why`: PlanRequest::AsksWhy. Returns false and sets the problem
  // if that fails.
  bool Choose(const Graph& graph, const RecordedGraph& recorded, std::string_view device,
              bool asks_why, ExecutionPlan& plan);

  // Returns the first problem, with its remedy. nullopt if there was none.
  const std::optional<Diagnostic>& problem() const { return problem_; }

 private:
  bool Fail(const Location& at, std::string message, std::string hint);
  bool IsSame(const Graph& graph, const PlannedStep& step, const RecordedStep& recorded);
  bool ChooseStep(const Graph& graph, const RecordedStep& recorded, std::string_view device,
                  bool asks_why, PlannedStep& step);

  RecordedPlan plan_;
  std::optional<Diagnostic> problem_;
};

}  // namespace opledger
