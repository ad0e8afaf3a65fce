// Infers the ranks of values, even if their dimensions are not known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Returns the dimensions of each value, with -1 for unknown ones, or nullopt if the rank is
// unknown. Uses declarations in the file and the operators that dimensions.cpp knows, node by node
// in order.
using Dimensions = std::vector<std::int64_t>;
std::vector<std::optional<Dimensions>> FindDimensions(const OnnxModel& model);

}  // namespace opledger
