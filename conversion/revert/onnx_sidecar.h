// The sidecar of a converted ONNX model, its external data included.
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
  const OnnxModel& model;              // that was converted: what it is prepared to be
  EditList& edits;                     // as they were written
  const OnnxDataFile& data_file;       // likewise; without items where nothing changed
  const std::set<std::string>& files;  // of external data, as the model names them
  std::string output;                  // the name of the converted model
  std::string written;                 // where it stands already
  Dtype target;
};

// Of `replacement` all but the content counts.
bool WriteOnnxSidecar(const OnnxSidecarInput& input, const std::string& path,
                      Replacement replacement, Diagnostics& diagnostics);

}  // namespace opledger
