// Stores compressed elements as bytes, since it is unknown how they were compressed.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/revert/mxnet_sidecar.h"

#include <algorithm>
#include <filesystem>

#include "conversion/revert/sidecar.h"

namespace opledger {
namespace {

// Returns the spans of float32 elements in the file.
std::vector<Span> FloatSpans(const MxnetParams& params) {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < params.arrays.size(); ++i) {
    const MxnetArray& array = params.arrays[i];
    const bool floats = params.IsDense(i) && array.dtype == Dtype::kFloat32;
    if (floats && array.data.size() > 0) spans.push_back(array.data);
  }
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  return spans;
}

}  // namespace

bool WriteMxnetSidecar(const MxnetOutput& output, const std::string& written_symbol, Dtype target,
                       const std::string& path, Replacement replacement, Diagnostics& diagnostics) {
  const auto symbol = SourceFile::Open(written_symbol, diagnostics);
  if (!symbol) return false;
  std::vector<SidecarSource> sources = {{"", &*symbol}};
  std::vector<SidecarTarget> targets;
  std::optional<SourceFile> params;
  if (output.params != nullptr) {
    const SourceFile& original = output.params->file;
    const std::string written = MxnetParamsPath(output.prefix, original.path());
    params = SourceFile::Open(written, diagnostics);
    if (!params) return false;
    sources.push_back({std::filesystem::path(written).filename().string(), &*params});
    // The part of the name after the prefix that revert takes.
    targets.push_back({MxnetParamsPath("", original.path()), &original,
                       PiecesOf(original, output.params_edits, FloatSpans(*output.params), 1)});
  }
  targets.push_back(
      {"", &output.symbol.file, PiecesOf(output.symbol.file, output.symbol_edits, {})});
  return WriteSidecar(path, sources, targets, target, std::move(replacement), diagnostics);
}

}  // namespace opledger
