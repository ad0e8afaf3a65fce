// Labels and the numbers of a model's parameters -> labels: numbers that the 16-bit type cannot
// hold keep nodes in float32 that their policy would let run low; and so do options
// (option_pins.h). One rule a file, in the order of kPinRules (pins.cpp). What rounding does to
// parameters is counted here too, for reports.
// May include: conversion/label, conversion/model/chains, conversion/model/half,
// conversion/model/mxnet, conversion/model/onnx, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/pins/parameter_statistics.h"

namespace opledger {

// Which values go on under another name: those that a call gives to a function's body, and those
// that a body, or a branch of an If, gives to its node.
class ValuesPassedOn {
 public:
  explicit ValuesPassedOn(const Graph& graph);
  std::vector<Use> Uses(ValueId value) const;  // under all its names

 private:
  const Graph& graph_;
  std::vector<std::vector<ValueId>> to_;  // of each value
};

struct PinContext {
  const Graph& graph;
  Dtype target;
  const std::vector<ParameterStatistics>& statistics;  // of each value
  std::vector<NodeLabel>& labels;                      // of each node; a pin changes it
  ValuesPassedOn passed_on{graph};
};

// Runs all rules.
void PinByNumbers(PinContext& context);

// The rules. A parameter whose numbers overflow keeps its readers in float32, and the free nodes
// that only pass such results on. Bounds that nothing reaches may become infinite.
void PinOverflowing(PinContext& context);
// A number so large that nothing is left of what is added to it.
void PinAbsorbing(PinContext& context);
// Of MXNet: numbers in attributes that overflow or vanish.
void PinScalars(PinContext& context);
// Numbers that vanish in the target type keep the nodes that multiply by them in float32.
void PinVanishing(PinContext& context);
// What is added as a mask, up to the Softmax: nothing would be left of a row that is masked as a
// whole.
void PinMasks(PinContext& context);
// A scale of a quantisation that the target type holds only coarsely, or that nobody knows.
void PinScales(PinContext& context);
// A small number that is added or compared so that nothing divides by zero, up to that division.
void PinEpsilons(PinContext& context);
// The square that a normalisation sums: of 256 it is beyond float16.
void PinSquares(PinContext& context);
// Positions, from integers to the sine: bfloat16 has not all above 256, float16 above 2048.
void PinPositions(PinContext& context);

// Whether the node may still run low.
bool MayBeLow(const NodeLabel& label);
// Whether input `input` of the node would become low with it.
bool WouldCast(const NodeLabel& label, std::size_t input);
// The node stays float32, if it may be low, by the rule of this name.
void PinNode(NodeLabel& label, const char* rule, std::string reason);

// Free nodes that read what `nodes` give stay float32 too, by this rule, and those that read them:
// all these only pass on numbers that are as `numbers` says.
void PinFreeReaders(PinContext& context, std::vector<NodeId> nodes, const char* rule,
                    const std::string& numbers);

using OperatorNames = std::vector<std::string_view>;
// Whether the node is one of these operators of ONNX's default domain.
bool IsOneOf(const Node& node, const OperatorNames& names);
// The nodes on ways that begin at `sources`, lead over operators `carriers`, and end at one that
// `ends` accepts with the input it is reached by. Both ends belong to the ways.
std::vector<NodeId> NodesBetween(const PinContext& context, const std::vector<NodeId>& sources,
                                 const OperatorNames& carriers,
                                 const std::function<bool(const Node&, const Use&)>& ends);

}  // namespace opledger
