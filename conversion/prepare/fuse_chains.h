// --fuse: replaces a chain of nodes by an operator of the model's opset. The operator accumulates
// in float32 whatever its input type, while the chain would have to stay in float32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/model/chains/chains.h"
#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Replaces each chain by one node with the name and output of the chain's last node.
EditList FuseChains(const OnnxModel& model, const std::vector<NodeChain>& chains);

}  // namespace opledger
