// ONNX models for kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/onnx/onnx.h"
#include "kernels/bindings/bindings.h"

namespace opledger {

// The model must outlive it.
Binding BindOnnx(const OnnxModel& model);

}  // namespace opledger
