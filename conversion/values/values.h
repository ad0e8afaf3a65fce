// Computes the range of each value of a model without running it. Ranges flow from parameters,
// shapes and inputs through the records of conversion/model/operators, into branches, loops (to a
// fixed point, with widening) and function calls. parameter_ranges.h reads parameters,
// input_ranges.h the ranges of inputs. If the analysis exceeds its budget, ranges become unknown;
// it never guesses.
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

// A model and known facts. All of it must outlive the analysis.
struct KnownModel {
  const Graph& graph;
  const OnnxModel* onnx = nullptr;  // nullptr: an MXNet model
  const Shapes* shapes = nullptr;   // nullptr: unknown
  std::vector<TensorRange> given;   // per value, for parameters and inputs
  std::vector<bool> is_given;       // per value
};

// The types in which nodes run.
struct Computation {
  // Nodes that may run in `target` by these labels (MayBeLow) round their inputs and outputs to it;
  // nullptr: all nodes run in float32.
  const std::vector<NodeLabel>* labels = nullptr;
  Dtype target = Dtype::kFloat32;
  bool presumes = false;  // see RangeContext
  // Nodes that may run in `target` by these labels, even if they run in float32, read parameters
  // whose elements that would become zero are raised to the type's smallest positive or negative
  // value (--small-constants clamp); nullptr: no node does.
  const std::vector<NodeLabel>* raised = nullptr;
};

// Applies --small-constants clamp: elements that would become zero become the value of the type
// with the same sign and the smallest magnitude.
Range RaisedNumbers(Range range, Dtype target);

class ValueAnalysis {
 public:
  ValueAnalysis(const KnownModel& model, const Computation& computation);

  // Runs the analysis, the first time or after labels have changed.
  void Run();

  // Recomputes the outputs of a node from the current ranges of its inputs. For outputs of a call,
  // branch or loop, and for inputs of a body, `sources` are the values passed on as `value`.
  void Refresh(NodeId node);
  void Refresh(ValueId value, const std::vector<ValueId>& sources);

  const TensorRange& Of(ValueId value) const;  // kNone: unknown range
  void Set(ValueId value, TensorRange range) { ranges_[value] = std::move(range); }

  // Returns the output ranges of a node that is not a call, branch or loop, given the ranges of its
  // inputs as it reads them.
  std::vector<TensorRange> Compute(NodeId node, std::vector<TensorRange> inputs) const;
  // Adjusts input ranges to what the node reads: a node that may run low rounds them, and one that
  // reads raised parameters raises them.
  void RoundInputs(NodeId node, std::vector<TensorRange>& inputs) const;
  // Returns the comparison that computes the condition of a Where, or kNone.
  NodeId ComparisonOf(NodeId node) const;
  // Rounds output ranges if the node may run low.
  void RoundOutputs(NodeId node, std::vector<TensorRange>& outputs) const;

 private:
  // Returns the range of a value that may be rounded to the target type.
  TensorRange Lowered(const TensorRange& range) const;
  // Returns the ranges of a node's inputs as it reads them.
  std::vector<TensorRange> Read(NodeId node) const;
  void RaiseInputs(NodeId node, std::vector<TensorRange>& inputs) const;
  bool RunsLow(NodeId node) const;
  void RunScope(ScopeId scope);
  void RunNode(NodeId node);
  void RunIf(NodeId node);
  void RunLoop(NodeId node);
  // Runs a loop with a small, known number of iterations one by one. Returns false for other loops.
  bool RunTrips(ScopeId body, double trips, std::vector<TensorRange>& carried);
  bool IsPlain(ScopeId scope) const;  // no node in it has scopes or is a call
  void RunScan(NodeId node);
  void RunCall(NodeId node, FunctionId function);
  // Returns the value of a Constant that refers to an attribute of the call of its function.
  TensorRange ReferredConstant(const Node& node) const;
  // Runs a body until its carried values no longer change. They are its inputs from `first` on and
  // its outputs from `first_output` on.
  void RunToFixedPoint(ScopeId body, std::size_t first, std::size_t first_output,
                       std::vector<TensorRange>& carried);
  // Joins the range to that of an input of a body; ignores inputs that it does not have.
  void Bind(ScopeId scope, std::size_t input, TensorRange range);
  // Extends the value's range, which covers all visits of its scope.
  void Join(ValueId value, TensorRange range);
  std::vector<TensorRange> OutputsOf(ScopeId scope) const;

  const KnownModel& model_;
  Computation computation_;
  std::vector<TensorRange> ranges_;  // per value
  std::vector<bool> known_;          // whether the value has been computed
  std::uint64_t budget_ = 0;         // nodes that may still be visited
  int depth_ = 0;                    // nesting of scopes
  NodeId call_ = kNone;              // the call being run
  bool replaces_ = false;            // new ranges in a scope replace earlier ones
};

}  // namespace opledger
