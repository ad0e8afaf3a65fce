// Finds the inputs and outputs of a node that become 16-bit when the node runs low.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "conversion/model/graph/signature.h"

namespace opledger {

struct LoweredOperands {
  std::vector<bool> inputs;  // which become low
  std::vector<bool> outputs;
  std::vector<bool> any;  // inputs that accept any type
  // Inputs that stay float32 but could be low independently of the others, since only they use
  // their type variable.
  std::vector<bool> apart;
  std::string obstacle;  // why the node cannot run low; empty: it can
};

// Lowers every float32 tensor whose type variable allows `target`, except for inputs in
// `keep_fp32_inputs` (names, or positions as decimal text) and those that share their variable. An
// input that only allows float32 keeps it, unless it is the first one: then the node cannot run
// low.
LoweredOperands FindLoweredOperands(const Graph& graph, const Node& node,
                                    const Signature& signature, Dtype target,
                                    const std::vector<std::string>& keep_fp32_inputs);

}  // namespace opledger
