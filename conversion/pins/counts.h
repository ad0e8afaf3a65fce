// Sizes of tensors that become float numbers. Where shapes say them, they are known; else they may
// be beyond float16, and what reads them stays in float32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "conversion/model/onnx/shapes.h"
#include "conversion/pins/pins.h"

namespace opledger {

// `inputs`: as InferShapes takes them. False, with an error: they do not fit the model.
bool PinCounts(const OnnxModel& model, const std::map<std::string, Shape>& inputs,
               PinContext& context, Diagnostics& diagnostics);

}  // namespace opledger
