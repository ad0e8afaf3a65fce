// --fuse: one node for a chain of nodes that computes what an operator of the model's opset does.
// The operator adds up in float32 whatever it is given, where the chain has to be kept in float32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/model/chains/chains.h"
#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Each of these replaceable chains becomes one node, which has the name and output of its last one.
EditList FuseChains(const OnnxModel& model, const std::vector<NodeChain>& chains);

}  // namespace opledger
