// Numbers for a model to run on where nobody has any.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// The same for the same seed, on every machine. Floats: normal, mean 0, deviation 1. Integers and
// truth values: 0 or 1, so that whatever they are an index into has them.
ConstantTensor RandomTensor(const TensorType& type, std::uint64_t seed);

}  // namespace opledger
