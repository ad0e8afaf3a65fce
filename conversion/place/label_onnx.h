// Labels an ONNX model's nodes, with the facts that the list's conditions need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/settings.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Collects facts about the nodes of operators in `asked`, or about all nodes and with shapes if it
// is nullptr. Ignores malformed `input_shapes`, which placement reports.
ConditionFacts OnnxFacts(const OnnxModel& model, const AskedFacts* asked,
                         const std::vector<std::string>& input_shapes);

std::vector<NodeLabel> LabelOnnx(const OnnxModel& model, const Typing& typing,
                                 const Settings& settings);

}  // namespace opledger
