// What a 16-bit type would make of a model's numbers -> labels: nodes that may run low stay in
// float32 where that would lose what they compute, as the analysis of values (conversion/values)
// finds. What it cannot bound is left as the list says. One hazard a file, in the order of kHazards
// (hazards.cpp); where the size of data decides they are patterns. Options: option_pins.h.
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

// Which values go on under another name: into the body of a function or loop, and out of it, or
// out of a branch.
class ValuesPassedOn {
 public:
  explicit ValuesPassedOn(const Graph& graph);
  std::vector<Use> Uses(ValueId value) const;  // under all its names
  // The values that go on as this one; empty: its producer computes it.
  const std::vector<ValueId>& SourcesOf(ValueId value) const { return from_[value]; }

 private:
  void Pass(const std::vector<ValueId>& from, std::size_t first, const std::vector<ValueId>& to,
            std::size_t first_to);

  const Graph& graph_;
  std::vector<std::vector<ValueId>> to_;    // of each value
  std::vector<std::vector<ValueId>> from_;  // likewise
};

struct HazardContext {
  const Graph& graph;
  Dtype target;
  const std::vector<ParameterStatistics>& statistics;  // of each value
  const KnownModel& model;
  std::vector<NodeLabel>& labels;  // of each node; a hazard changes it
  bool raises_small = false;       // --small-constants clamp, of a type that it matters to
  // Nodes that an option names stay low, whatever speaks against it: what does, of each such node.
  std::vector<std::pair<NodeId, std::string>> obeyed = {};
  std::size_t raised = 0;  // how many nodes RaiseNode has kept in float32
  // All in float32; and as labels allow. What is raised is so in both: it is no error.
  ValueAnalysis exact{model, {nullptr, target, true, raises_small ? &labels : nullptr}};
  ValueAnalysis lowered{model, {&labels, target, true, raises_small ? &labels : nullptr}};
  // With raises_small, all in float32 and nothing raised.
  ValueAnalysis unraised{model, {nullptr, target, true}};
  ValuesPassedOn passed_on{graph};
};

// Runs all hazards.
void RaiseByHazards(HazardContext& context);
// Keeps the floats of quantised models in float32 (--quantized-islands keep).
void RaiseIslands(HazardContext& context);

// A number so large that nothing is left of what is added to it.
void RaiseAbsorbing(HazardContext& context);
// What is added as a mask, up to the Softmax: nothing would be left of a row that is masked as a
// whole.
void RaiseMasks(HazardContext& context);
// A quantisation scale that the target type represents with few bits, or that is computed as the
// model runs.
void RaiseScales(HazardContext& context);
// The square that a normalisation sums: of 256 it is beyond float16.
void RaiseSquares(HazardContext& context);
// Numbers that vanish in the target type keep the nodes that multiply by them in float32.
void RaiseVanishing(HazardContext& context);
// A difference of sums of squares.
void RaiseCancellation(HazardContext& context);
// Numbers so close to each other that the target type has few between them.
void RaiseNarrow(HazardContext& context);
// 1 - p, of which the digits near zero decide.
void RaiseComplements(HazardContext& context);
// A contraction of numbers so large that its sums overflow.
void RaiseSums(HazardContext& context);
// Of MXNet: numbers in attributes that overflow or vanish.
void RaiseScalars(HazardContext& context);
// A divisor that overflows, and what it divides.
void RaiseDivisors(HazardContext& context);
// Bounds that hold in float32 and not in the target type: a value that overflows, a guard that is
// zero, 1 - e that is 1, a difference of large numbers.
void RaiseLostBounds(HazardContext& context);
// Whole numbers that become indices, sizes, counters or ids, and phases of waves.
void RaiseInexact(HazardContext& context);

// Whether input `input` of the node would become low with it.
bool WouldCast(const NodeLabel& label, std::size_t input);
// Keeps the node in float32, if it may be low, by the rule of this name. False: it may not be, or
// an option names it.
bool RaiseNode(HazardContext& context, NodeId node, LabelRule rule, const std::string& reason);
// The same for labels alone.
void PinNode(NodeLabel& label, LabelRule rule, std::string reason);

// Raises free nodes that read what `nodes` give by this rule too, and those that read them: all
// these only pass on numbers that are as `numbers` says.
void RaiseFreeReaders(HazardContext& context, std::vector<NodeId> nodes, LabelRule rule,
                      const std::string& numbers);

using OperatorNames = std::vector<std::string_view>;
// Whether the node is one of these operators of ONNX's default domain.
bool IsOneOf(const Node& node, const OperatorNames& names);
// The nodes on ways that begin at `sources`, lead over operators `carriers`, and end at one that
// `ends` accepts with the input it is reached by. Both ends belong to the ways.
std::vector<NodeId> NodesBetween(const HazardContext& context, const std::vector<NodeId>& sources,
                                 const OperatorNames& carriers,
                                 const std::function<bool(const Node&, const Use&)>& ends);

}  // namespace opledger
