// The numbers of a 16-bit tensor of an ONNX model, however they are stored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "conversion/model/onnx/tensor_data.h"

namespace opledger {

// Little-endian, two bytes each; an error says why they are not there.
std::optional<std::string> HalfNumbers(const OnnxModel& model, TensorId id, TensorData& data,
                                       Diagnostics& diagnostics);

}  // namespace opledger
