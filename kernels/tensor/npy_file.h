// Tensors in .npy files: numpy's format. bfloat16, which numpy does not know, is '<V2' as ml_dtypes
// writes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernels/tensor/constant_tensor.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// None, with an error: there is no such file, or it holds no dense little-endian tensor.
std::optional<ConstantTensor> ReadNpy(const std::string& path, Diagnostics& diagnostics);

// False, with an error: it cannot be written.
bool WriteNpy(const std::string& path, const TensorType& type, const void* data,
              Diagnostics& diagnostics);

}  // namespace opledger
