// Chains of nodes that compute what one operator does, as exporters write operators which the
// model's opset does not have. In: an ONNX model with types. Out: which nodes, and the operator.
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
  std::string op;               // what it computes
  std::int64_t opset = 0;       // the first that has the operator
  std::vector<NodeId> nodes;    // in their order; the last one gives the result
  std::vector<NodeId> affine;   // of them: what multiplies by a scale and adds a bias
  std::vector<ValueId> inputs;  // of the operator
  std::optional<float> epsilon;
  std::optional<std::int64_t> axis;
  bool tanh = false;  // a Gelu that approximates
  bool sums = false;  // over many numbers: the operator adds up in float32, whatever it is given
  bool replaceable = true;  // the operator can take its place: nothing else reads what is inside
};

// LayerNormalization and RMSNormalization over the last axis, Gelu by Erf or Tanh, Mish, Softmax.
// Chains share no node; each lies within one graph, of float32 numbers. What a constant only a
// replaceable chain reads belongs to it.
std::vector<NodeChain> FindChains(const OnnxModel& model);

}  // namespace opledger
