// Loads the tensors of an ONNX model, of any element type and storage.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/onnx/tensor_data.h"
#include "kernels/machine/status.h"
#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// Returns an error if the data do not match the shape, are external and cannot be read, or have a
// type that no kernel supports.
StatusOr<ConstantTensor> LoadOnnxTensor(const OnnxModel& model, TensorData& data, TensorId id);

}  // namespace opledger
