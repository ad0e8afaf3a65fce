// The labels of an ONNX model's nodes, with what the list's conditions ask of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/settings.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Of each node that `asked` has; nullptr: of all, with shapes. `input_shapes` as in options; one
// that is malformed is left out, which whoever places says.
ConditionFacts OnnxFacts(const OnnxModel& model, const AskedFacts* asked,
                         const std::vector<std::string>& input_shapes);

std::vector<NodeLabel> LabelOnnx(const OnnxModel& model, const Typing& typing,
                                 const Settings& settings);

}  // namespace opledger
