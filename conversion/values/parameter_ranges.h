// What is known of a model before its values are analysed: the numbers of its parameters, read
// once, piece by piece, as statistics and as ranges; its shapes; the ranges of its inputs.
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

// The graph, and the ONNX model and shapes that it was read from, outlive it.
struct KnownNumbers {
  KnownModel model;
  std::vector<ParameterStatistics> statistics;  // of each value; of float32 parameters
};

// Reads each float32 parameter that some node would cast by its label (`labels` as nullptr: all),
// and every small one. None, with an error: numbers of one that would be cast are not there.
std::optional<KnownNumbers> ReadNumbers(const OnnxModel& model, const Shapes& shapes, Dtype target,
                                        TensorData& data, const std::vector<NodeLabel>* labels,
                                        const InputRanges& inputs, Diagnostics& diagnostics);

// Does the same for an MXNet model, whose parameters are in memory. `params` is nullptr if it has
// none.
KnownNumbers ReadNumbers(const MxnetParams* params, const Graph& graph, Dtype target,
                         const std::vector<NodeLabel>* labels, const InputRanges& inputs);

}  // namespace opledger
