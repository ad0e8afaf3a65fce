// The preparation of an ONNX model: its functions inlined, duplicates merged, each as edits of the
// file, which together are edits of the original.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "conversion/label/options.h"
#include "conversion/model/files/edit_list.h"
#include "conversion/model/graph/types.h"
#include "conversion/model/onnx/onnx.h"
#include "conversion/prepare/prepare.h"

namespace opledger {

// A model that is to be converted, and the file it is made from.
struct PreparedOnnx {
  OnnxModel model;
  Typing typing;
  std::optional<OnnxModel> original;  // none: the model is as its file
  EditList edits;                     // of the original
  Preparation done;

  const OnnxModel& Original() const { return original ? *original : model; }
  // Edits of the model as edits of the original.
  EditList OfOriginal(EditList edits_of_model);
};

// Reads, prepares and types. None, with errors: it is no model, it is invalid, or cannot be
// prepared.
std::optional<PreparedOnnx> PrepareOnnx(SourceFile file, const ConvertOptions& options,
                                        Signatures& signatures, Diagnostics& diagnostics);

}  // namespace opledger
