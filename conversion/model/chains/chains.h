// Finds chains of nodes that together compute one operator, as exporters write operators that the
// model's opset lacks. Input: a typed ONNX model. Output: the nodes and the operator.
//   ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div, Mul, Add  ->  LayerNormalization
// chains.cpp has the table of kinds; each kind is a file.
// May include: conversion/model/onnx, conversion/model/operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

struct NodeChain {
  std::string op;               // the operator that it computes
  std::int64_t opset = 0;       // the first that has the operator
  std::vector<NodeId> nodes;    // in order; the last one computes the result
  std::vector<NodeId> affine;   // those that multiply by a scale or add a bias
  std::vector<ValueId> inputs;  // of the operator
  std::optional<float> epsilon;
  std::optional<std::int64_t> axis;
  bool tanh = false;        // a Gelu that uses the approximation
  bool sums = false;        // sums many elements, which the operator always does in float32
  bool replaceable = true;  // the operator can replace it: no inner value is read elsewhere
};

// Finds LayerNormalization and RMSNormalization over the last axis, Gelu by Erf or Tanh, Mish and
// Softmax. Chains do not share nodes; each is within one graph and computes in float32. Constants
// that only a replaceable chain reads belong to it.
std::vector<NodeChain> FindChains(const OnnxModel& model);

}  // namespace opledger
