// Which format a model has, and so who converts it.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/convert.h"

#include "conversion/convert_mxnet.h"
#include "conversion/convert_onnx.h"

namespace opledger {

int Convert(const ConvertOptions& options, std::string& text, Diagnostics& diagnostics) {
  auto file = SourceFile::Open(options.model, diagnostics);
  if (!file) return 2;
  if (IsMxnetSymbol(file->bytes())) {
    return ConvertMxnet(std::move(*file), options, text, diagnostics) ? 0 : 2;
  }
  return ConvertOnnx(std::move(*file), options, text, diagnostics) ? 0 : 2;
}

}  // namespace opledger
