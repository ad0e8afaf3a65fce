// The hazards of a whole model: its parameters are read, its values analysed, and labels changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/label.h"
#include "conversion/label/options.h"
#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/model/operators/shapes.h"

namespace opledger {

// False, with an error: a parameter's numbers are not there, or an option does not fit the model.
// `raised` becomes the nodes that are taken to read a parameter of which --small-constants clamp
// raises numbers: that holds where they run low.
bool RaiseModelHazards(const OnnxModel& model, Dtype target, const ConvertOptions& options,
                       const Shapes& shapes, TensorData& data, std::vector<NodeLabel>& labels,
                       std::vector<NodeId>& raised, Diagnostics& diagnostics);

// The same for an MXNet model, whose parameters are there as they are; nullptr: there are none.
bool RaiseModelHazards(const MxnetParams* params, const Graph& graph, Dtype target,
                       const ConvertOptions& options, std::vector<NodeLabel>& labels,
                       std::vector<NodeId>& raised, Diagnostics& diagnostics);

}  // namespace opledger
