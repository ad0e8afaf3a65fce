// Turns a plan for an ONNX model into edits of its file: casts, names, types, parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/edit/onnx_data_file.h"
#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/place/place.h"

namespace opledger {

// Returns the edits that `plan` needs; none if it changes nothing. `data` must have checked every
// float32 parameter and must outlive the writing of the edits. External tensors are added to
// `data_file`.
EditList OnnxEdits(const OnnxModel& model, const Plan& plan, Dtype target, TensorData& data,
                   OnnxDataFile& data_file);

}  // namespace opledger
