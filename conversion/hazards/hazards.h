// Keeps nodes in float32 that may run low but would lose their result in 16 bits: analysis of
// values (conversion/values) -> changed labels. Values that the analysis cannot bound follow the
// list. One hazard per file, in the order of kHazards (hazards.cpp); some match patterns, where the
// magnitude of data decides. option_pins.h handles options.
// May include: conversion/label, conversion/model/chains, conversion/model/mxnet,
// conversion/model/half, conversion/model/onnx, conversion/values,
// registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/values/parameter_ranges.h"
#include "conversion/values/values.h"

namespace opledger {

// Maps values to their other names: into and out of the body of a function or loop, and out of a
// branch.
class ValuesPassedOn {
 public:
  explicit ValuesPassedOn(const Graph& graph);
  std::vector<Use> Uses(ValueId value) const;  // under all names
  // Returns the values passed on as this one. Empty if its producer computes it.
  const std::vector<ValueId>& SourcesOf(ValueId value) const { return from_[value]; }

 private:
  void Pass(const std::vector<ValueId>& from, std::size_t first, const std::vector<ValueId>& to,
            std::size_t first_to);

  const Graph& graph_;
  std::vector<std::vector<ValueId>> to_;    // per value
  std::vector<std::vector<ValueId>> from_;  // per value
};

struct HazardContext {
  const Graph& graph;
  Dtype target;
  const std::vector<ParameterStatistics>& statistics;  // per value
  const KnownModel& model;
  std::vector<NodeLabel>& labels;  // per node; hazards change it
  bool raises_small = false;       // --small-constants clamp, if it affects the target type
  // Nodes that an option forces low despite a hazard, with the reason of the hazard.
  std::vector<std::pair<NodeId, std::string>> obeyed = {};
  std::size_t raised = 0;  // number of nodes that RaiseNode has kept in float32
  // `exact`: all nodes in float32. `lowered`: types as the labels allow. Both use the constants
  // that --small-constants raises, since that change is intended.
  ValueAnalysis exact{model, {nullptr, target, true, raises_small ? &labels : nullptr}};
  ValueAnalysis lowered{model, {&labels, target, true, raises_small ? &labels : nullptr}};
  // With raises_small: all nodes in float32 and the original constants.
  ValueAnalysis unraised{model, {nullptr, target, true}};
  ValuesPassedOn passed_on{graph};
};

// Runs all hazards.
void RaiseByHazards(HazardContext& context);
// Keeps floats between quantized values in float32 (--quantized-islands keep).
void RaiseIslands(HazardContext& context);

// Numbers so large that adding to them loses the other operand.
void RaiseAbsorbing(HazardContext& context);
// Masks up to the Softmax: a fully masked row would yield NaN or lose its scores.
void RaiseMasks(HazardContext& context);
// Quantization scales that the target type represents with few bits, or that are computed at run
// time.
void RaiseScales(HazardContext& context);
// Squares that a normalization sums: the square of 256 overflows float16.
void RaiseSquares(HazardContext& context);
// Factors that vanish in the target type.
void RaiseVanishing(HazardContext& context);
// Differences of sums of squares.
void RaiseCancellation(HazardContext& context);
// Values in a range so narrow that the target type has few numbers in it.
void RaiseNarrow(HazardContext& context);
// 1 - p where the digits near zero matter.
void RaiseComplements(HazardContext& context);
// Contractions of numbers so large that their sums overflow.
void RaiseSums(HazardContext& context);
// MXNet: scalars in attributes that overflow or vanish.
void RaiseScalars(HazardContext& context);
// Divisors that overflow, and the data they divide.
void RaiseDivisors(HazardContext& context);
// Bounds that hold in float32 but not in the target type: a value that overflows, a guard that
// becomes zero, 1 - e that becomes 1, a difference of large numbers.
void RaiseLostBounds(HazardContext& context);
// Integers that become indices, sizes, counters or ids, and phases of waves.
void RaiseInexact(HazardContext& context);

// Returns whether input `input` of the node would become low with it.
bool WouldCast(const NodeLabel& label, std::size_t input);
// Keeps the node in float32 by rule `rule` if it may be low. Returns false if it may not be low or
// an option names it.
bool RaiseNode(HazardContext& context, NodeId node, LabelRule rule, const std::string& reason);
// The same for a label alone.
void PinNode(NodeLabel& label, LabelRule rule, std::string reason);

// Also raises free nodes that read the outputs of `nodes`, and their free readers. These only pass
// on numbers that are as `numbers` describes.
void RaiseFreeReaders(HazardContext& context, std::vector<NodeId> nodes, LabelRule rule,
                      const std::string& numbers);

using OperatorNames = std::vector<std::string_view>;
// Returns whether the node is one of these operators of ONNX's default domain.
bool IsOneOf(const Node& node, const OperatorNames& names);
// Returns the nodes on paths that start at `sources`, go through operators in `carriers`, and end
// at a node that `ends` accepts for the input by which it is reached. Includes both ends.
std::vector<NodeId> NodesBetween(const HazardContext& context, const std::vector<NodeId>& sources,
                                 const OperatorNames& carriers,
                                 const std::function<bool(const Node&, const Use&)>& ends);

}  // namespace opledger
