// With a sidecar, the original's bytes; without one, the graph by the names of what was inserted.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/revert.h"

#include "conversion/model/source_file.h"
#include "conversion/sidecar.h"
#include "conversion/widen_onnx.h"

namespace opledger {

int Revert(const RevertOptions& options, std::string& text, Diagnostics& diagnostics) {
  if (options.sidecar.empty()) {
    auto file = SourceFile::Open(options.model, diagnostics);
    const WidenOptions widen = {options.output, true, true};
    return file && WidenOnnx(std::move(*file), widen, text, diagnostics) ? 0 : 2;
  }
  if (!ApplySidecar(options.sidecar, options.model, options.output, diagnostics)) return 2;
  text = options.output + ": the original of " + options.model + ", byte for byte\n";
  return 0;
}

}  // namespace opledger
