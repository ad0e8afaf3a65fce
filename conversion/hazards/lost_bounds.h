// Checks whether a node's outputs keep their float32 bounds in the target type, and finds the nodes
// that have to stay in float32 so that they do.
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
  bool moves = false;  // the bound still exists but has moved
};

class BoundKeeper {
 public:
  explicit BoundKeeper(HazardContext& context) : context_(context) {}

  // Returns nullopt if the node's outputs keep their bounds.
  std::optional<LostBound> Check(NodeId node) const;
  // Raises the node and as few as possible of the earlier nodes that lose what its bounds depend
  // on.
  void Keep(NodeId node, const LostBound& lost);

 private:
  // Returns whether a value is good enough if its range in the converted model is the argument.
  using Suffices = std::function<bool(const TensorRange&)>;

  TensorRange Presumed(ValueId value, const TensorRange& lowered) const;
  std::vector<TensorRange> PresumedInputs(NodeId node, bool lowered) const;
  std::vector<TensorRange> ExactOutputs(NodeId node) const;
  // Returns the output ranges in float32 with the original constants.
  std::vector<TensorRange> UnraisedOutputs(NodeId node) const;
  std::optional<LostBound> Compare(NodeId node, std::vector<TensorRange> lowered) const;
  // Keeps the inputs of `node` that must have their float32 ranges for `suffices` to hold, raising
  // the nodes before them. `reads`: the current ranges of the inputs.
  void KeepInputs(NodeId node, const std::vector<TensorRange>& reads,
                  const std::function<bool(std::vector<TensorRange>)>& suffices,
                  const LostBound& lost, int depth);
  // Raises nodes that produce numbers close to 1 whose distance from 1 matters, such as the Sigmoid
  // before a bound of 0.9999.
  void KeepNearOne(NodeId node, const LostBound& lost, int depth);
  // Raises the comparison that selects the result of a Where, and the operands it compares.
  void KeepCondition(NodeId node, const LostBound& lost, int depth);
  void KeepValue(ValueId value, const Suffices& suffices, const LostBound& lost, int depth);

  HazardContext& context_;
  std::set<ValueId> visited_;
};

}  // namespace opledger
