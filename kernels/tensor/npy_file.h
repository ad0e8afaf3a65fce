// Tensors in numpy's .npy files. bfloat16, which numpy lacks, has the type '<V2', as ml_dtypes
// writes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernels/tensor/constant_tensor.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Returns nullopt and reports an error if the file cannot be read or does not hold a dense
// little-endian tensor.
std::optional<ConstantTensor> ReadNpy(const std::string& path, Diagnostics& diagnostics);

// Returns false and reports an error if the file cannot be written.
bool WriteNpy(const std::string& path, const TensorType& type, const void* data,
              Diagnostics& diagnostics);

}  // namespace opledger
