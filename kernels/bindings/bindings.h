// What a framework's nodes mean to kernels: lowering. In: a node, with what is known of its inputs.
// Out: calls of kernels, or why there are none. No kernel knows a framework, no planner an
// attribute.
// May include: conversion/model/graph, kernels/kernel, kernels/machine, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "kernels/bindings/control_flow.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// An input that is a list of values, a sequence; or an optional that is empty. What it holds
// follows the node's inputs.
struct ListedInput {
  std::size_t first = 0;
  std::size_t count = 0;
  bool is_empty_optional = false;
};

// A node, with what is known of its inputs when it is bound; behind them what its lists hold.
struct NodeInputs {
  NodeId node = kNone;
  std::vector<std::optional<TensorType>> types;  // none: left out, or a list
  std::vector<const void*> constants;            // their numbers, or nullptr
  std::map<std::size_t, ListedInput> lists = {};
};

// A call of a kernel. Its inputs are numbers: those of the node's inputs, from there on of the
// operands, from there on of what earlier calls keep for later ones.
struct KernelCall {
  static constexpr int kForLaterCalls = -2;

  std::string kernel;
  std::vector<int> inputs;                   // in the kernel's order; -1: none
  std::map<std::size_t, Dimensions> views;   // of those inputs: the shape the kernel sees them in
  std::map<std::size_t, Dimensions> shapes;  // of its outputs: the shape others see them in
  Parameters parameters;
  // What its outputs are: an output of the node, one more input of later calls (kForLaterCalls), or
  // -1: nothing. Empty: the outputs of the node, one by one.
  std::vector<int> results;
};

// What a node is: a call of a kernel, several, or a constant. Or a problem, which says why it is
// none of these.
struct LoweredNode : KernelCall {
  Status problem;
  std::vector<ConstantTensor> operands;   // inputs that the node does not have
  std::vector<KernelCall> before;         // calls that come first
  std::vector<ConstantTensor> constants;  // of the node's outputs, where it needs no kernel
  // The first output is a list of values, by their numbers; or an optional that is empty.
  std::optional<std::vector<int>> list = {};
  bool is_empty_optional = false;
};

// A node of a framework while it is bound: its inputs and outputs, and those of its attributes that
// all frameworks have alike.
class FrameworkNode {
 public:
  FrameworkNode(const Graph& graph, const NodeInputs& inputs)
      : inputs_(inputs), node_(graph.nodes[inputs.node]) {}

  std::string_view op() const { return node_.op; }
  bool HasAttribute(std::string_view name) const { return node_.Find(name) != nullptr; }
  std::string Word(std::string_view name, std::string_view absent) const;

  std::size_t inputs() const { return node_.inputs.size(); }
  std::size_t numbers() const { return inputs_.types.size(); }  // and what the lists hold
  const ListedInput* ListAt(std::size_t input) const {          // nullptr: it is none
    const auto found = inputs_.lists.find(input);
    return found == inputs_.lists.end() ? nullptr : &found->second;
  }
  std::size_t outputs() const { return node_.outputs.size(); }
  bool Has(std::size_t input) const {
    return input < inputs_.types.size() && inputs_.types[input].has_value();
  }
  bool Wants(std::size_t output) const {
    return output < node_.outputs.size() && node_.outputs[output] != kNone;
  }
  // One that is not there is a float32 number, and `missing`.
  const TensorType& Input(std::size_t input) const {
    return Has(input) ? *inputs_.types[input] : MissingInput(input, missing_);
  }
  const std::optional<std::size_t>& missing() const { return missing_; }
  const Dimensions& Shape(std::size_t input) const { return Input(input).dimensions; }
  std::int64_t Rank(std::size_t input) const {
    return static_cast<std::int64_t>(Input(input).Rank());
  }

 protected:
  const NodeInputs& inputs_;
  const Node& node_;

 private:
  mutable std::optional<std::size_t> missing_;
};

LoweredNode Unsupported(Status problem);
// Whether there is a kernel of that name that computes each element from one of each input.
bool IsElementwise(std::string_view kernel);
// The kernel, with all inputs of the node, or with its first alone.
LoweredNode BindAs(const FrameworkNode& node, std::string kernel);
LoweredNode BindFirst(const FrameworkNode& node, std::string kernel);
// Scale and shift of each channel, of an input with spatial dimensions.
LoweredNode BindInstanceNorm(const FrameworkNode& node, double epsilon);
// Channels in groups that divide them; scale and shift of each channel, or of each group.
LoweredNode BindGroupNorm(const FrameworkNode& node, std::int64_t groups, bool by_channel,
                          double epsilon);

// Counted from the end where it is negative.
std::int64_t FromStart(std::int64_t axis, std::int64_t rank);
// The same. None: there is no such dimension.
std::optional<std::int64_t> AxisOf(std::int64_t axis, std::int64_t rank);
// `rank` dimensions; those from `first` on.
Integers AllAxes(std::int64_t rank, std::int64_t first = 0);

struct PlanRequest;

struct Binding {
  std::function<LoweredNode(const NodeInputs&)> bind;
  // The numbers of a tensor of the model's file; none, with what is wrong with it.
  std::function<StatusOr<ConstantTensor>(TensorId)> load;
  // Once a plan has read what it needs: the file's memory may go, until it is read again. It may be
  // empty.
  std::function<void()> release = {};
  // Of a node that runs graphs of its own: how. None: it does not. It may be empty.
  std::function<std::optional<ControlFlow>(NodeId)> control_flow = {};
  // Plans such a node as a step of the plan that is asked for; set where `control_flow` is.
  Prepared (*prepare_control_flow)(const PlanRequest& outer, const ControlFlow& flow,
                                   const OuterValues& values) = nullptr;
};

}  // namespace opledger
