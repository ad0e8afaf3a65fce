// Applies an operator's policy to chains of nodes that together compute the operator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// If the operator of a chain (conversion/model/chains) stays in float32, so does the whole chain
// except for its scale and bias. If it may run low and the chain is element-wise, its nodes may run
// low whatever the list says about them. If the chain sums many elements, only the fused operator
// would accumulate in float32, so its nodes keep their own policies. Options that override the list
// do so as for single nodes.
void LabelChains(const OnnxModel& model, const LabelOptions& options,
                 std::vector<NodeLabel>& labels);

}  // namespace opledger
