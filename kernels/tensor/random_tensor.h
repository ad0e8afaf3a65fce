// Random inputs for models that are run without data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// Returns elements that depend only on the type and the seed. Floats: normal, mean 0, deviation 1.
// Integers and bool: 0 or 1, which are valid as indices.
ConstantTensor RandomTensor(const TensorType& type, std::uint64_t seed);

}  // namespace opledger
