// Whether what a node computes keeps, in the target type, the bounds that it has in float32; and
// which nodes have to stay in float32 so that it does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conversion/hazards/hazards.h"

namespace opledger {

// A bound of a node's output that holds in float32 but not in the target type, described for users,
// and the rule that keeps it.
struct LostBound {
  LabelRule rule = LabelRule::kRounding;
  std::string text;
  bool moves = false;  // it is still there, elsewhere
};

class BoundKeeper {
 public:
  explicit BoundKeeper(HazardContext& context) : context_(context) {}

  // Nothing: the node's outputs keep their bounds.
  std::optional<LostBound> Check(NodeId node) const;
  // Raises the node, and the nodes before it that lose what its bounds depend on: as few as
  // suffice.
  void Keep(NodeId node, const LostBound& lost);

 private:
  // Whether a value would do, if its range in the converted model were this one.
  using Suffices = std::function<bool(const TensorRange&)>;

  TensorRange Presumed(ValueId value, const TensorRange& lowered) const;
  std::vector<TensorRange> PresumedInputs(NodeId node, bool lowered) const;
  std::vector<TensorRange> ExactOutputs(NodeId node) const;
  // As the model has them, before anything was raised.
  std::vector<TensorRange> UnraisedOutputs(NodeId node) const;
  std::optional<LostBound> Compare(NodeId node, std::vector<TensorRange> lowered) const;
  // The inputs of `node` that have to be what they are in float32 for `suffices` to hold, and each
  // raised; `reads` are the node's inputs as it reads them.
  void KeepInputs(NodeId node, const std::vector<TensorRange>& reads,
                  const std::function<bool(std::vector<TensorRange>)>& suffices,
                  const LostBound& lost, int depth);
  // Raises what gives numbers close to 1, whose distance from 1 decides: the Sigmoid before a
  // bound of 0.9999.
  void KeepNearOne(NodeId node, const LostBound& lost, int depth);
  // Raises the comparison that decides what a Where gives, and what it compares with.
  void KeepCondition(NodeId node, const LostBound& lost, int depth);
  void KeepValue(ValueId value, const Suffices& suffices, const LostBound& lost, int depth);

  HazardContext& context_;
  std::set<ValueId> visited_;
};

}  // namespace opledger
