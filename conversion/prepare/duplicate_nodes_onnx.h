// --cse for ONNX models: compares attributes and computes the edits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"
#include "conversion/prepare/duplicate_nodes.h"

namespace opledger {

DuplicateNodes FindOnnxDuplicates(const OnnxModel& model, const Typing& typing);

// Removes nodes and the declarations of their outputs. Their readers read the replacements.
EditList RemoveDuplicates(const OnnxModel& model, const DuplicateNodes& found);

}  // namespace opledger
