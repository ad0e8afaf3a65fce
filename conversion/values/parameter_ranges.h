// The numbers of a model's parameters: read once, piece by piece, as statistics and as ranges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "conversion/label/label.h"
#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/model/ranges/tensor_range.h"
#include "conversion/values/parameter_statistics.h"

namespace opledger {

struct KnownParameters {
  std::vector<ParameterStatistics> statistics;  // of each value; of float32 ones
  std::vector<TensorRange> ranges;              // of each value
  std::vector<bool> known;                      // of each value: whether `ranges` has it
};

// Reads each float32 parameter that some node would cast by its label (`labels` as nullptr: all),
// and every small one. None, with an error: numbers of one that would be cast are not there.
std::optional<KnownParameters> ReadParameters(const OnnxModel& model, Dtype target,
                                              TensorData& data,
                                              const std::vector<NodeLabel>* labels,
                                              Diagnostics& diagnostics);

// The same for an MXNet model, whose parameters are there as they are; nullptr: there are none.
KnownParameters ReadParameters(const MxnetParams* params, const Graph& graph, Dtype target,
                               const std::vector<NodeLabel>* labels);

}  // namespace opledger
