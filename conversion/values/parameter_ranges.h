// Facts about a model that the analysis of values starts from: the elements of its parameters, read
// once in pieces, as statistics and ranges; its shapes; the ranges of its inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/values/input_ranges.h"
#include "conversion/values/parameter_statistics.h"
#include "conversion/values/values.h"

namespace opledger {

// The graph, and the ONNX model and shapes passed to ReadNumbers, must outlive it.
struct KnownNumbers {
  KnownModel model;
  std::vector<ParameterStatistics> statistics;  // per value; for float32 parameters
};

// Reads every small parameter, and each float32 parameter that some node would cast by its label
// (all if `labels` is nullptr). Returns nullopt, with an error, if elements of a parameter to cast
// are missing.
std::optional<KnownNumbers> ReadNumbers(const OnnxModel& model, const Shapes& shapes, Dtype target,
                                        TensorData& data, const std::vector<NodeLabel>* labels,
                                        const InputRanges& inputs, Diagnostics& diagnostics);

// Like ReadNumbers above, for an MXNet model, whose parameters are in memory. `params` is nullptr
// if it has none.
KnownNumbers ReadNumbers(const MxnetParams* params, const Graph& graph, Dtype target,
                         const std::vector<NodeLabel>* labels, const InputRanges& inputs);

}  // namespace opledger
