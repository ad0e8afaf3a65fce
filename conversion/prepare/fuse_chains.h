// --fuse: one node for a chain of nodes that computes what an operator of the model's opset does.
//   ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div, Mul, Add  ->  LayerNormalization
// The operator adds up in float32 whatever it is given, where the chain has to be kept in float32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

struct NodeChain {
  std::string op;               // what it computes
  std::int64_t opset = 0;       // the first that has the operator
  std::vector<NodeId> nodes;    // that nothing else reads; the last one gives the result
  std::vector<ValueId> inputs;  // of the operator
  std::optional<float> epsilon;
};

// LayerNormalization (17) and RMSNormalization (23) over the last axis, with a scale as long as
// it; Gelu (20) by Erf. Chains share no node; each lies within one graph, of float32 numbers.
std::vector<NodeChain> FindChains(const OnnxModel& model);

// Each becomes one node, which has the name and output of its last one.
EditList FuseChains(const OnnxModel& model, const std::vector<NodeChain>& chains);

}  // namespace opledger
