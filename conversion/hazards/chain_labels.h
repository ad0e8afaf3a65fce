// Labels of the nodes that together compute what one operator does: its policy is theirs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// A chain (conversion/model/chains) whose operator stays in float32 does so as a whole, but for its
// scale and bias. One of element-wise operators may run low where its operator may, whatever the
// list says of its parts. What adds up many numbers does so in float32 only as one operator: its
// parts keep their own policies. Options above the list decide as they do of single nodes.
void LabelChains(const OnnxModel& model, const LabelOptions& options,
                 std::vector<NodeLabel>& labels);

}  // namespace opledger
