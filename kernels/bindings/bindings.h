// Lowers a framework's nodes to calls of kernels. In: a node, with what is known about its inputs.
// Out: calls of kernels, or the reason why there are none. Kernels know nothing of frameworks, and
// the planner knows no attributes.
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

// An input that is a sequence or an empty optional. Its elements follow the node's inputs.
struct ListedInput {
  std::size_t first = 0;
  std::size_t count = 0;
  bool is_empty_optional = false;
};

// A node at binding, with what is known about its inputs, followed by the elements of its lists.
struct NodeInputs {
  NodeId node = kNone;
  std::vector<std::optional<TensorType>> types;  // nullopt: left out, or a list
  std::vector<const void*> constants;            // their data, or nullptr
  std::map<std::size_t, ListedInput> lists = {};
};

// A call of a kernel. Its inputs are indices: first those of the node's inputs, then of the
// operands, then of results that earlier calls keep for later ones.
struct KernelCall {
  static constexpr int kForLaterCalls = -2;

  std::string kernel;
  std::vector<int> inputs;                   // in the kernel's order; -1: left out
  std::map<std::size_t, Dimensions> views;   // of inputs: the shape that the kernel reads them in
  std::map<std::size_t, Dimensions> shapes;  // of outputs: the shape that others read them in
  Parameters parameters;
  // Destination of each output: the index of the node's output, kForLaterCalls (a new input of
  // later calls), or -1 if it is unused. Empty: the node's outputs in order.
  std::vector<int> results;
};

// The result of lowering: one call of a kernel, several, or a constant. Or a problem, with the
// reason why it is none of these.
struct LoweredNode : KernelCall {
  Status problem;
  std::vector<ConstantTensor> operands;   // inputs that the node does not have
  std::vector<KernelCall> before;         // calls to run first
  std::vector<ConstantTensor> constants;  // the node's outputs, if it needs no kernel
  // If the first output is a list: the indices of its elements. Or it may be an empty optional.
  std::optional<std::vector<int>> list = {};
  bool is_empty_optional = false;
};

// A node of a framework at binding: its inputs, outputs, and the attributes that all frameworks
// represent in the same way.
class FrameworkNode {
 public:
  FrameworkNode(const Graph& graph, const NodeInputs& inputs)
      : inputs_(inputs), node_(graph.nodes[inputs.node]) {}

  std::string_view op() const { return node_.op; }
  bool HasAttribute(std::string_view name) const { return node_.Find(name) != nullptr; }
  std::string Word(std::string_view name, std::string_view absent) const;

  std::size_t inputs() const { return node_.inputs.size(); }
  std::size_t numbers() const { return inputs_.types.size(); }  // including elements of lists
  const ListedInput* ListAt(std::size_t input) const {          // nullptr: not a list
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
  // Returns a float32 scalar for a missing input, and sets `missing`.
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
// Returns whether a kernel of that name is element-wise.
bool IsElementwise(std::string_view kernel);
// Binds a kernel to all inputs of the node, or only to the first.
LoweredNode BindAs(const FrameworkNode& node, std::string kernel);
LoweredNode BindFirst(const FrameworkNode& node, std::string kernel);
// Instance normalization: scale and shift for each channel, of an input with spatial dimensions.
LoweredNode BindInstanceNorm(const FrameworkNode& node, double epsilon);
// Group normalization: groups that divide the channels; scale and shift for each channel, or for
// each group.
LoweredNode BindGroupNorm(const FrameworkNode& node, std::int64_t groups, bool by_channel,
                          double epsilon);

// Adds the rank to a negative axis.
std::int64_t FromStart(std::int64_t axis, std::int64_t rank);
// The same; nullopt if there is no such axis.
std::optional<std::int64_t> AxisOf(std::int64_t axis, std::int64_t rank);
// Returns the axes of `rank` dimensions, from `first` on.
Integers AllAxes(std::int64_t rank, std::int64_t first = 0);

struct PlanRequest;

struct Binding {
  std::function<LoweredNode(const NodeInputs&)> bind;
  // Loads a tensor of the model's file, or returns what is wrong with it.
  std::function<StatusOr<ConstantTensor>(TensorId)> load;
  // Called when a plan has read what it needs: the file's memory may be released until it is read
  // again. May be empty.
  std::function<void()> release = {};
  // Returns the control flow of a node with inner graphs, nullopt for other nodes. May be empty.
  std::function<std::optional<ControlFlow>(NodeId)> control_flow = {};
  // Plans such a node as a step of `outer`; set if `control_flow` is set.
  Prepared (*prepare_control_flow)(const PlanRequest& outer, const ControlFlow& flow,
                                   const OuterValues& values) = nullptr;
};

}  // namespace opledger
