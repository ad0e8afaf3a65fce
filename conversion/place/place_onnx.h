// From labels to a plan, for an ONNX model: what a conversion and a run by the lists have in
// common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/label/settings.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/place/cast_bytes.h"

namespace opledger {

// Pins what the parameters' numbers and the options ask for, and places what is free. `labels` are
// LabelNodes'. False, with errors: the parameters cannot be read, or a cast has no known cost.
bool PlaceOnnx(const OnnxModel& model, const Settings& settings, TensorData& data,
               std::vector<NodeLabel>& labels, CastCosts& costs, Plan& plan,
               Diagnostics& diagnostics);

}  // namespace opledger
