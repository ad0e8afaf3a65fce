// Which format a model has, and so who converts it.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "conversion/conversion.h"
#include "conversion/convert_mxnet.h"
#include "conversion/convert_onnx.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "conversion/revert/upcast_mxnet.h"
#include "conversion/revert/upcast_onnx.h"

namespace opledger {
namespace {

// Back to float32: what says which nodes are low has no meaning there.
int ToFloat32(SourceFile file, const ConvertOptions& options, std::string& text,
              Diagnostics& diagnostics) {
  const std::pair<const char*, bool> others[] = {
      {"--list", !options.list.empty()},
      {"--target-ops", !options.target_ops.empty()},
      {"--fp32-ops", !options.fp32_ops.empty()},
      {"--widest-ops", !options.widest_ops.empty()},
      {"--exclude", !options.exclude.empty()},
      {"--taint", options.taint},
      {"--profile", !options.profile.empty()},
      {"--storage-only", options.storage_only},
      {"--sidecar", !options.sidecar.empty()},
      {"--report", !options.reports.empty()},
      {"--explain", !options.explain.empty()},
      {"--cse", options.merge_duplicates},
      {"--inline-functions", options.inline_functions},
  };
  for (const auto& [option, given] : others) {
    if (!given) continue;
    diagnostics.Error({.path = options.model},
                      std::string(option) + " has no meaning with --target-dtype float32",
                      "leave it out: the whole model becomes float32");
  }
  if (diagnostics.has_errors()) return 2;
  if (IsMxnetSymbol(file.bytes())) {
    const MxnetWidenOptions widen = {options.params, options.dry_run ? "" : options.output,
                                     options.io_types == "keep", false};
    return WidenMxnet(std::move(file), widen, text, diagnostics) ? 0 : 2;
  }
  const WidenOptions widen = {options.dry_run ? "" : options.output, options.io_types == "keep",
                              false};
  return WidenOnnx(std::move(file), widen, text, diagnostics) ? 0 : 2;
}

}  // namespace

int Convert(const ConvertOptions& options, std::string& text, Diagnostics& diagnostics) {
  auto file = SourceFile::Open(options.model, diagnostics);
  if (!file) return 2;
  if (options.target_dtype == "float32") {
    return ToFloat32(std::move(*file), options, text, diagnostics);
  }
  if (IsMxnetSymbol(file->bytes())) {
    if (options.inline_functions) {
      diagnostics.Error({.path = options.model}, "--inline-functions is for ONNX models",
                        "leave it out: an MXNet symbol has no functions");
      return 2;
    }
    return ConvertMxnet(std::move(*file), options, text, diagnostics) ? 0 : 2;
  }
  return ConvertOnnx(std::move(*file), options, text, diagnostics) ? 0 : 2;
}

}  // namespace opledger
