// What the numbers of each value of a model can be, without running it: ranges flow from
// parameters, shapes and inputs through the records of conversion/model/operators, into branches,
// loops (to a fixed point, with widening) and calls of functions. parameter_ranges.h reads the
// parameters, input_ranges.h what is known of inputs. Beyond its budgets the analysis knows
// nothing; it never guesses.
// May include: conversion/label, conversion/model/files, conversion/model/half,
// conversion/model/mxnet, conversion/model/onnx, conversion/model/operators,
// conversion/model/ranges, registry/files, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/model/operators/operators.h"
#include "conversion/model/ranges/tensor_range.h"

namespace opledger {

// A model and what is known of it beforehand. All of it outlives the analysis.
struct KnownModel {
  const Graph& graph;
  const OnnxModel* onnx = nullptr;  // nullptr: the model is one of MXNet
  const Shapes* shapes = nullptr;   // nullptr: none is known
  std::vector<TensorRange> given;   // of each value that is a parameter, or an input
  std::vector<bool> is_given;       // of each value
};

// How nodes run.
struct Computation {
  // Nodes that may run in `target` by their labels (MayBeLow) read inputs that are rounded to it
  // and round their results; nullptr: all run in float32.
  const std::vector<NodeLabel>* labels = nullptr;
  Dtype target = Dtype::kFloat32;
  bool presumes = false;  // see RangeContext
  // Nodes that may run in `target` by these labels read parameters that hold, in place of what
  // would become zero, the type's smallest number (--small-constants clamp), whether they are said
  // to run low or not; nullptr: none does.
  const std::vector<NodeLabel>* raised = nullptr;
};

// What --small-constants clamp makes of numbers: those that would become zero are the type's
// smallest instead, with their sign.
Range RaisedNumbers(Range range, Dtype target);

class ValueAnalysis {
 public:
  ValueAnalysis(const KnownModel& model, const Computation& computation);

  // Once, or again after labels have changed.
  void Run();

  // Runs one node again, from what is known of its inputs now; of a call, a branch or a loop, and
  // of what a body takes, `sources` are the values that go on as it.
  void Refresh(NodeId node);
  void Refresh(ValueId value, const std::vector<ValueId>& sources);

  const TensorRange& Of(ValueId value) const;  // kNone: nothing is known
  void Set(ValueId value, TensorRange range) { ranges_[value] = std::move(range); }

  // The outputs of a node that is no call, branch or loop, from ranges of its inputs as it reads
  // them.
  std::vector<TensorRange> Compute(NodeId node, std::vector<TensorRange> inputs) const;
  // What a node makes of its inputs before it computes: one that may run low rounds them, one that
  // reads raised parameters raises them.
  void RoundInputs(NodeId node, std::vector<TensorRange>& inputs) const;
  // The comparison that makes the condition of a Where; kNone: it has none.
  NodeId ComparisonOf(NodeId node) const;
  // What is left of a node's outputs after it has rounded them, where it may run low.
  void RoundOutputs(NodeId node, std::vector<TensorRange>& outputs) const;

 private:
  TensorRange Lowered(const TensorRange& range) const;
  std::vector<TensorRange> Read(NodeId node) const;
  void RaiseInputs(NodeId node, std::vector<TensorRange>& inputs) const;
  bool RunsLow(NodeId node) const;
  void RunScope(ScopeId scope);
  void RunNode(NodeId node);
  void RunIf(NodeId node);
  void RunLoop(NodeId node);
  // A loop of few trips, whose number is known, trip by trip; false: it is none.
  bool RunTrips(ScopeId body, double trips, std::vector<TensorRange>& carried);
  bool IsPlain(ScopeId scope) const;  // no node in it has scopes of its own
  void RunScan(NodeId node);
  void RunCall(NodeId node, FunctionId function);
  // What a Constant in a function holds that refers to an attribute of the call.
  TensorRange ReferredConstant(const Node& node) const;
  // Runs a body until the values it carries, which are its inputs from `first` on and its outputs
  // from `first_output` on, no longer change.
  void RunToFixedPoint(ScopeId body, std::size_t first, std::size_t first_output,
                       std::vector<TensorRange>& carried);
  void Bind(ScopeId scope, std::size_t input, TensorRange range);
  void Join(ValueId value, TensorRange range);
  std::vector<TensorRange> OutputsOf(ScopeId scope) const;

  const KnownModel& model_;
  Computation computation_;
  std::vector<TensorRange> ranges_;  // of each value
  std::vector<bool> known_;          // whether the value has been computed
  std::uint64_t budget_ = 0;         // nodes that may still be run
  int depth_ = 0;                    // of scopes in scopes
  NodeId call_ = kNone;              // whose function is run
  bool replaces_ = false;            // what a scope gives replaces what it has given before
};

}  // namespace opledger
