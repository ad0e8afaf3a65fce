// What the numbers of an ONNX model's parameters say about its nodes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "conversion/labels.h"
#include "conversion/model/tensor_data.h"
#include "conversion/rounding_statistics.h"

namespace opledger {

// Reads each float32 parameter that some node would cast, once, and pins nodes by the rules of
// pins.h. False, with an error: a parameter's numbers are not there.
bool PinByWeights(const OnnxModel& model, Dtype target, TensorData& data,
                  std::vector<NodeLabel>& labels, Diagnostics& diagnostics);

// What rounding to `target` does to a parameter's numbers; none: they are not at hand.
std::optional<RoundingStatistics> ParameterRounding(const OnnxModel& model, ValueId value,
                                                    Dtype target, TensorData& data);

}  // namespace opledger
