// A node of an ONNX model while it is bound: its attributes and its inputs' numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/onnx/onnx.h"
#include "kernels/bindings/bindings.h"

namespace opledger {

class OnnxNode {
 public:
  OnnxNode(const OnnxModel& model, const NodeInputs& inputs)
      : model_(model), inputs_(inputs), node_(model.graph.nodes[inputs.node]) {}

  std::string_view op() const { return node_.op; }
  std::int64_t opset() const { return opset_; }
  void ReadOpset();

  bool HasAttribute(std::string_view name) const { return node_.Find(name) != nullptr; }
  std::int64_t Integer(std::string_view name, std::int64_t absent) const;
  double Number(std::string_view name, double absent) const;
  std::string Word(std::string_view name, std::string_view absent) const;
  Integers List(std::string_view name) const;  // empty: absent
  std::vector<float> Numbers(std::string_view name) const;
  std::vector<std::string> Words(std::string_view name) const;
  TensorId TensorOf(std::string_view attribute) const;  // kNone: absent

  std::size_t inputs() const { return inputs_.types.size(); }
  std::size_t outputs() const { return node_.outputs.size(); }
  bool Has(std::size_t input) const {
    return input < inputs_.types.size() && inputs_.types[input].has_value();
  }
  const TensorType& Input(std::size_t input) const { return *inputs_.types[input]; }
  std::int64_t Rank(std::size_t input) const {
    return static_cast<std::int64_t>(Input(input).Rank());
  }
  bool IsKnown(std::size_t input) const {
    return Has(input) && inputs_.constants[input] != nullptr;
  }
  // The numbers of an input that are known when the plan is made; none: they are not. Truth values
  // are the integers 0 and 1.
  std::optional<Integers> KnownIntegers(std::size_t input) const;
  std::optional<std::vector<double>> KnownNumbers(std::size_t input) const;
  // A list that older opsets have as an attribute and newer ones as an input. None: neither; a
  // problem: the input is there and not known.
  std::optional<Integers> ListOrInput(std::string_view attribute, std::size_t input,
                                      Refusal& problem) const;

 private:
  const OnnxModel& model_;
  const NodeInputs& inputs_;
  const Node& node_;
  std::int64_t opset_ = 1;
};

// One operator of ONNX: how its nodes are bound.
struct OnnxBinding {
  std::string_view op;
  LoweredNode (*bind)(const OnnxNode& node);
};

// The kernel, with the node's inputs as they are.
LoweredNode BindAs(const OnnxNode& node, std::string kernel);

// Of its inputs the first alone.
LoweredNode BindFirst(const OnnxNode& node, std::string kernel);
// Counted from the end where it is negative. None: there is no such dimension.
std::optional<std::int64_t> AxisOf(std::int64_t axis, std::int64_t rank);

// Tables of the files of this folder.
const std::vector<OnnxBinding>& OnnxElementwise();
const std::vector<OnnxBinding>& OnnxMoves();
const std::vector<OnnxBinding>& OnnxContractions();
const std::vector<OnnxBinding>& OnnxReductions();
const std::vector<OnnxBinding>& OnnxNormalisations();
const std::vector<OnnxBinding>& OnnxSpatial();
const std::vector<OnnxBinding>& OnnxIndexing();
const std::vector<OnnxBinding>& OnnxWindows();
const std::vector<OnnxBinding>& OnnxResize();
const std::vector<OnnxBinding>& OnnxAttention();
const std::vector<OnnxBinding>& OnnxLosses();
const std::vector<OnnxBinding>& OnnxRecurrent();
const std::vector<OnnxBinding>& OnnxSelections();

}  // namespace opledger
