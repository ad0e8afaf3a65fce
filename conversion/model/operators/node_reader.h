// Reads a node for an operator's functions: its attributes, however the format stores them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

using Integers = std::vector<std::int64_t>;

class NodeReader {
 public:
  // Without `model`, attributes are text, as MXNet stores them.
  NodeReader(const Graph& graph, const OnnxModel* model, NodeId id)
      : graph_(graph), model_(model), id_(id), node_(graph.nodes[id]), op_(node_.op) {}

  // Returns the operator whose functions read the node; for an MXNet operator, the equivalent ONNX
  // operator.
  std::string_view Op() const { return op_; }
  void SetOp(std::string_view op) { op_ = op; }
  std::size_t InputCount() const { return node_.inputs.size(); }
  std::size_t OutputCount() const { return node_.outputs.size(); }
  bool HasInput(std::size_t i) const { return i < node_.inputs.size() && node_.inputs[i] != kNone; }
  bool Has(std::string_view attribute) const { return node_.Find(attribute) != nullptr; }
  std::int64_t Opset() const { return graph_.OpsetIn(node_.scope); }

  // Return the attribute's value, or `absent` if the node does not have it.
  std::int64_t Integer(std::string_view attribute, std::int64_t absent) const;
  double Number(std::string_view attribute, double absent) const;
  std::string_view Text(std::string_view attribute) const;
  Integers List(std::string_view attribute) const;
  std::vector<float> Floats(std::string_view attribute) const;

  // Returns the element type of an input or output, or nullopt if it is not a tensor or the type is
  // unknown.
  std::optional<Dtype> InputType(std::size_t i) const;
  std::optional<Dtype> OutputType(std::size_t i) const;
  // Returns whether the input is an integer tensor.
  bool IsIntegral(std::size_t i) const;
  // Returns whether two inputs are the same value.
  bool AreSame(std::size_t i, std::size_t j) const;

 protected:
  const Graph& graph_;
  const OnnxModel* model_;
  NodeId id_;
  const Node& node_;
  std::string_view op_;
};

}  // namespace opledger
