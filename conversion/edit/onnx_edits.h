// A plan for an ONNX model -> edits of its file: casts, names, types, parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/edit/onnx_data_file.h"
#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/place/place.h"

namespace opledger {

// The edits that `plan` needs, none where it changes nothing. `data` must outlive the writing of
// them, and has checked every float32 parameter; tensors that are external come to stand in
// `data_file`.
EditList OnnxEdits(const OnnxModel& model, const Plan& plan, Dtype target, TensorData& data,
                   OnnxDataFile& data_file);

}  // namespace opledger
