// What the numbers of a model's parameters say about its nodes, and what rounding does to them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/onnx/shapes.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/pins/rounding_statistics.h"

namespace opledger {

// Reads each float32 parameter that some node would cast, once, and pins nodes by the rules of
// pins.h and counts.h; `shapes` are those that the user gives for inputs. False, with an error: a
// parameter's numbers are not there, or a shape does not fit.
bool PinByWeights(const OnnxModel& model, Dtype target, TensorData& data,
                  const std::map<std::string, Shape>& shapes, std::vector<NodeLabel>& labels,
                  Diagnostics& diagnostics);

// The same for an MXNet model, whose parameters are there as they are; nullptr: there are none.
void PinByWeights(const MxnetParams* params, const Graph& graph, Dtype target,
                  std::vector<NodeLabel>& labels);

// What rounding to `target` does to a parameter's numbers; none: they are not at hand.
std::optional<RoundingStatistics> ParameterRounding(const OnnxModel& model, ValueId value,
                                                    Dtype target, TensorData& data);
std::optional<RoundingStatistics> ParameterRounding(const MxnetParams& params, const Graph& graph,
                                                    ValueId value, Dtype target);

}  // namespace opledger
