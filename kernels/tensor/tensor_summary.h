// Summarizes a tensor in one line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "kernels/tensor/tensor.h"

namespace opledger {

// "y: float32[1,10], -1.25 to 3.5, mean 0.25". Infinities and NaN are counted: ", 2 NaN".
std::string Summarise(std::string_view name, const TensorType& type, const void* data);

}  // namespace opledger
