// How many dimensions a value has, also where their lengths are not known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

// The dimensions of a value, none of them negative but where its length is not known: -1. None: not
// even their count is known. By what the file declares, or through the nodes that compute it.
std::optional<std::vector<std::int64_t>> KnownDimensions(const OnnxModel& model, ValueId value);

}  // namespace opledger
