// Writes the sidecar of a converted ONNX model, including its external data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "conversion/edit/onnx_data_file.h"
#include "conversion/model/files/edit_list.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

struct OnnxSidecarInput {
  const OnnxModel& original;
  const OnnxModel& model;              // the model that was converted, after preparation
  EditList& edits;                     // as they were written
  const OnnxDataFile& data_file;       // as it was written; has no items if nothing changed
  const std::set<std::string>& files;  // external data files, as the model names them
  std::string output;                  // the name of the converted model
  std::string written;                 // its current path
  Dtype target;
};

// Writes the sidecar to `path`. The content of `replacement` is ignored. Returns false, with an
// error, on failure.
bool WriteOnnxSidecar(const OnnxSidecarInput& input, const std::string& path,
                      Replacement replacement, Diagnostics& diagnostics);

}  // namespace opledger
