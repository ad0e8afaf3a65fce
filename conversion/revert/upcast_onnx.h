// 16-bit and mixed ONNX models in float32: values, parameters, types; the casts and copies that
// opledger inserted go. How those are called is said in onnx_edits.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

struct WidenOptions {
  std::string output;      // empty: nothing is written
  bool keep_io = true;     // the model's inputs and outputs keep their types
  bool only_ours = false;  // refuse a model that has 16-bit values which opledger did not make
};

// What was done stands in `text`. False, with an error: nothing is written.
bool WidenOnnx(SourceFile file, const WidenOptions& options, std::string& text,
               Diagnostics& diagnostics);
// The edits alone, of a model whose types are known; none, with an error: it cannot be done.
std::optional<EditList> WidenEdits(const OnnxModel& model, const WidenOptions& options,
                                   Diagnostics& diagnostics);

}  // namespace opledger
