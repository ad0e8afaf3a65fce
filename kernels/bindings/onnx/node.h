// A node of an ONNX model at binding: its attributes and its inputs' values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/model/onnx/onnx.h"
#include "kernels/bindings/bindings.h"

namespace opledger {

class OnnxNode : public FrameworkNode {
 public:
  OnnxNode(const OnnxModel& model, const NodeInputs& inputs)
      : FrameworkNode(model.graph, inputs), model_(model) {}

  std::int64_t opset() const { return opset_; }
  void ReadOpset();

  std::int64_t Integer(std::string_view name, std::int64_t absent) const;
  double Number(std::string_view name, double absent) const;
  Integers List(std::string_view name) const;  // empty if absent
  std::vector<float> Numbers(std::string_view name) const;
  std::vector<std::string> Words(std::string_view name) const;
  TensorId TensorOf(std::string_view attribute) const;  // kNone if absent

  bool IsKnown(std::size_t input) const {
    return Has(input) && inputs_.constants[input] != nullptr;
  }
  // Returns the values of an input, if known when the plan is made; otherwise nullopt. Booleans are
  // 0 and 1.
  std::optional<Integers> KnownIntegers(std::size_t input) const;
  std::optional<std::int64_t> KnownInteger(std::size_t input) const;  // if it is a single one
  std::optional<std::vector<double>> KnownNumbers(std::size_t input) const;
  // A list that is an attribute in older opsets and an input in newer ones. Returns nullopt if it
  // is absent; sets `problem` if the input is present but not known.
  std::optional<Integers> ListOrInput(std::string_view attribute, std::size_t input,
                                      Status& problem) const;

 private:
  const OnnxModel& model_;
  std::int64_t opset_ = 1;
};

// An ONNX operator and the function that binds its nodes.
struct OnnxBinding {
  std::string_view op;
  LoweredNode (*bind)(const OnnxNode& node);
};

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
const std::vector<OnnxBinding>& OnnxQuantised();
const std::vector<OnnxBinding>& OnnxSequences();
// In the domain com.microsoft.
const std::vector<OnnxBinding>& RuntimeAttention();
const std::vector<OnnxBinding>& RuntimeExperts();
const std::vector<OnnxBinding>& RuntimeLayers();
const std::vector<OnnxBinding>& RuntimePacked();
const std::vector<OnnxBinding>& RuntimePositions();
const std::vector<OnnxBinding>& RuntimeQuantised();
const std::vector<OnnxBinding>& RuntimeRecurrent();
const std::vector<OnnxBinding>& RuntimeSelections();
const std::vector<OnnxBinding>& RuntimeTensors();

}  // namespace opledger
