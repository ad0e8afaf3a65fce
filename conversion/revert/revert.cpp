// With a sidecar, the original's bytes; without one, the graph by the names of what was inserted.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/revert/revert.h"

#include "conversion/edit/mxnet_output.h"
#include "conversion/model/files/files.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "conversion/revert/sidecar.h"
#include "conversion/revert/upcast_mxnet.h"
#include "conversion/revert/upcast_onnx.h"

namespace opledger {

int Revert(const RevertOptions& options, std::string& text, Diagnostics& diagnostics) {
  auto file = SourceFile::Open(options.model, diagnostics);
  if (!file) return 2;
  const bool mxnet = IsMxnetSymbol(file->bytes());
  if (!mxnet && !options.params.empty()) {
    diagnostics.Error({.path = options.params}, "--params is for MXNet's models", "leave it out");
    return 2;
  }
  if (options.sidecar.empty() && mxnet) {
    const MxnetWidenOptions widen = {options.params, options.output, true, true};
    return WidenMxnet(std::move(*file), widen, text, diagnostics) ? 0 : 2;
  }
  if (options.sidecar.empty()) {
    const WidenOptions widen = {options.output, true, true};
    return WidenOnnx(std::move(*file), widen, text, diagnostics) ? 0 : 2;
  }
  const SidecarPlaces places = {options.model, options.params,
                                mxnet ? MxnetSymbolPath(options.output) : options.output,
                                mxnet ? options.output : std::string()};
  if (!ApplySidecar(options.sidecar, places, diagnostics)) return 2;
  text = places.output + ": the original of " + options.model + ", byte for byte\n";
  return 0;
}

}  // namespace opledger
