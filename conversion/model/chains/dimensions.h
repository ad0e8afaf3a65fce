// Infers the ranks of values, even if their dimensions are not known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

// -1: unknown.
using Dimensions = std::vector<std::int64_t>;

// Returns the dimensions of each value, or nullopt if its rank is unknown. Uses declarations in the
// file and the operators that dimensions.cpp knows, node by node in order.
std::vector<std::optional<Dimensions>> FindDimensions(const OnnxModel& model);

}  // namespace opledger
