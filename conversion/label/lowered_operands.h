// What of a node becomes 16 bits when the node runs low: which inputs and outputs.
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
  std::vector<bool> any;  // inputs that are taken in whichever type there is
  // Inputs that are to stay float32, but may be low whatever the others are: their type variable is
  // theirs alone.
  std::vector<bool> apart;
  std::string obstacle;  // why the node cannot run low; empty: it can
};

// By the signature: every float32 tensor whose type variable may be `target`, but for inputs that
// `keep_fp32_inputs` names (names, or positions as decimal text), and those that share their
// variable. An input that may only be float32 stays so; the first one must not be of that kind.
LoweredOperands FindLoweredOperands(const Graph& graph, const Node& node,
                                    const Signature& signature, Dtype target,
                                    const std::vector<std::string>& keep_fp32_inputs);

}  // namespace opledger
