// The conversion of an ONNX model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/conversion.h"
#include "conversion/model/files/files.h"

namespace opledger {

// As Convert; `file` is the model.
bool ConvertOnnx(SourceFile file, const ConvertOptions& options, std::string& text,
                 Diagnostics& diagnostics);

}  // namespace opledger
