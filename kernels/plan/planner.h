// Turns the nodes of a graph into steps with reference kernels; passes choose other kernels later.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "kernels/plan/plan.h"

namespace opledger {

// A list of values, or an empty optional: known during planning, and not a tensor.
struct ListedValue {
  std::vector<ValueId> elements;
  bool is_empty_optional = false;
};

class Planner {
 public:
  Planner(const PlanRequest& request, Status& problem)
      : graph_(*request.graph), request_(request), problem_(problem) {}

  // `is_plain`: see PlanContext.
  std::optional<ExecutionPlan> Run(bool is_plain);
  bool must_be_plain() const { return must_be_plain_; }

 private:
  bool TakeInputs();
  void TakeGiven();
  bool TakeOutputs();
  void NameElements();
  bool TakeList(std::size_t output);
  std::optional<ValueId> TakenAs(ValueId value, ScopeId scope, std::size_t output);
  bool TakeTensor(ValueId value);
  std::optional<std::vector<NodeId>> Order(const std::vector<ValueId>& outputs) const;
  bool PlanNode(NodeId id);
  bool Fail(NodeId id, const Status& why);
  void SayUnknown(NodeId id);
  bool PlanCall(NodeId id, const KernelCall& bound, std::vector<ValueId>& taken);
  bool TakeNodeInputs(NodeId id, NodeInputs& inputs, std::vector<ValueId>& taken);
  void TakeList(std::size_t input, const ListedValue& list, NodeInputs& inputs,
                std::vector<ValueId>& taken) const;
  Call CallOf(const KernelCall& bound, const std::vector<ValueId>& taken, const Node& node) const;
  ChosenKernel Choose(const KernelCall& bound, const std::vector<ValueId>& taken, Call& call) const;
  std::optional<ValueId> Version(NodeId id, std::size_t input);
  std::optional<ValueId> VersionOf(ValueId value, bool low);
  std::optional<ValueId> AddCast(ValueId from, Dtype to, bool raises);

  // Plan inner graphs (planned_in_place.cpp). `outer`: the values that the node takes, as
  // OuterValues.
  using SourceOf = std::function<ValueId(const InnerInput& input)>;
  bool PlanInner(NodeId id, const ControlFlow& flow, std::vector<ValueId> taken);
  bool PlanInPlace(NodeId id, const ControlFlow& flow, const std::vector<ValueId>& outer);
  bool PlanBranch(NodeId id, const ControlFlow& flow, const std::vector<ValueId>& outer);
  bool PlanLoop(NodeId id, const ControlFlow& flow, const std::vector<ValueId>& outer);
  bool PlanMap(NodeId id, const ControlFlow& flow, const std::vector<ValueId>& outer);
  bool Stack(NodeId id, std::size_t output, std::vector<ValueId> parts);
  std::optional<std::vector<ValueId>> PlanGraph(NodeId id, const InnerGraph& inner,
                                                const SourceOf& source);
  void Rename(ScopeId scope, std::size_t first_step, std::size_t first_slot,
              std::vector<ValueId>& results);
  void Alias(ValueId value, ValueId of);
  ValueId Hold(ConstantTensor tensor);
  std::optional<std::int64_t> KnownNumber(ValueId value) const;

  const Graph& graph_;
  const PlanRequest& request_;
  Status& problem_;
  ExecutionPlan plan_;
  bool must_be_plain_ = false;
  int planned_in_place_ = 0;              // nesting depth of graphs planned in place
  std::map<ValueId, ValueId> casts_;      // the other version of a value, if it was needed
  std::map<ValueId, ListedValue> lists_;  // lists have no slots of their own
};

}  // namespace opledger
