// --cse of ONNX models: what their attributes say, and the edits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"
#include "conversion/prepare/duplicate_nodes.h"

namespace opledger {

DuplicateNodes FindOnnxDuplicates(const OnnxModel& model, const Typing& typing);

// Removed nodes go, with what declares their outputs; their readers read what stands for them.
EditList RemoveDuplicates(const OnnxModel& model, const DuplicateNodes& found);

}  // namespace opledger
