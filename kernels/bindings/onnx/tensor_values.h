// The numbers of an ONNX model's tensors, of any element type and however they are stored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "conversion/model/onnx/tensor_data.h"
#include "kernels/machine/status.h"
#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// None, with what is wrong: its numbers are fewer or more than its shape asks for, are elsewhere
// and cannot be read, or are of a type that no kernel takes.
StatusOr<ConstantTensor> LoadOnnxTensor(const OnnxModel& model, TensorData& data, TensorId id);

}  // namespace opledger
