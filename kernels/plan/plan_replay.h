// A recorded plan followed: the same nodes joined, the same tensors with channels last, the same
// kernels. Where the model, this program or this machine is another one, it says at which line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kernels/plan/plan.h"
#include "kernels/plan/recorded_plan.h"

namespace opledger {

// Of one graph: what the passes ask. Nodes are known by their names.
class RecordedChoices {
 public:
  RecordedChoices(const Graph& graph, const RecordedGraph& recorded);

  // Whether `step` computes the node `reader`, too.
  bool Fuses(const PlannedStep& step, NodeId reader) const;
  bool HasChannelsLast(const PlannedStep& step) const;

 private:
  const Graph& graph_;
  std::set<std::pair<std::string, std::string>> fused_;  // a step's node and what it computes, too
  std::set<std::pair<std::string, std::string>> last_;   // a node and its kernel
};

class PlanReplay {
 public:
  explicit PlanReplay(RecordedPlan plan) : plan_(std::move(plan)) {}

  const RecordedPlan& plan() const { return plan_; }

  // The record for a graph, or a part of its runs, that is given these types; if there is none for
  // them, one for other types or parts. nullptr, with a problem: there is none at all.
  const RecordedGraph* Find(const Graph& graph, ScopeId scope, const std::string& part,
                            const ExecutionPlan& plan);
  // Gives each step of `plan`, which is for `device` where the record does not say otherwise, the
  // kernel that its record names; `asks_why`: as PlanRequest::AsksWhy. False, with a problem.
  bool Choose(const Graph& graph, const RecordedGraph& recorded, std::string_view device,
              bool asks_why, ExecutionPlan& plan);

  // The first problem: what is wrong, and what to do. None: there was none.
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
