// How many dimensions values have, also where their lengths are not known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Of each value its dimensions, with -1 for a length that is not known; none: not even their count
// is. By what the file declares, and through the operators that dimensions.cpp knows, node by node
// in their order.
using Dimensions = std::vector<std::int64_t>;
std::vector<std::optional<Dimensions>> FindDimensions(const OnnxModel& model);

}  // namespace opledger
