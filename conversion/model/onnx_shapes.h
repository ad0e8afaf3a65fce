// The sizes of values that an ONNX model declares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conversion/model/onnx_model.h"

namespace opledger {

// How many numbers each value has, where every dimension of it is declared as a number.
std::vector<std::optional<std::uint64_t>> DeclaredElements(const OnnxModel& model);

}  // namespace opledger
