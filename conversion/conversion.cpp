// Implements the three commands: finds the row of the model's format and runs it.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/conversion.h"

#include <utility>

#include "conversion/formats/formats.h"
#include "conversion/label/settings.h"
#include "conversion/passes.h"
#include "conversion/report/model_summary.h"
#include "conversion/report/report.h"
#include "conversion/revert/sidecar.h"
#include "registry/files/output_files.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

// Reports options that have no effect when a model is converted back to float32.
bool CheckUpcastOptions(const ConvertOptions& options, Diagnostics& diagnostics) {
  const std::pair<const char*, bool> others[] = {
      {"--list", !options.list.empty()},
      {"--target-ops", !options.target_ops.empty()},
      {"--fp32-ops", !options.fp32_ops.empty()},
      {"--widest-ops", !options.widest_ops.empty()},
      {"--exclude", !options.exclude.empty()},
      {"--taint", options.taint},
      {"--small-constants", options.RaisesSmall()},
      {"--profile", !options.profile.empty()},
      {"--storage-only", options.storage_only},
      {"--sidecar", !options.sidecar.empty()},
      {"--report", !options.reports.empty()},
      {"--explain", !options.explain.empty()},
      {"--cse", options.merge_duplicates},
      {"--inline-functions", options.inline_functions},
      {"--fuse", options.fuse},
      {"--opset", options.opset != "auto"},
      {"--strict", options.strict},
      {"--hazards", options.hazards != "raise"},
      {"--quantized-islands", options.quantized_islands != "keep"},
      {"--input-range", !options.input_ranges.empty()},
      {"--inputs-from without --verify", !options.inputs_from.empty() && !options.verify},
  };
  for (const auto& [option, given] : others) {
    if (!given) continue;
    diagnostics.Error({.path = options.model},
                      std::string(option) + " has no meaning with --target-dtype float32",
                      "omit it: the whole model becomes float32");
  }
  return !diagnostics.has_errors();
}

// Checks that no output overwrites a file that is read. The model's external data is checked when
// it is read.
template <typename Options>
bool CheckFiles(const Format& format, const Options& options, std::vector<std::string> read,
                Diagnostics& diagnostics) {
  return CheckOutputFiles({{options.model, options.params}, std::move(read), {}},
                          ModelFiles(format, options.output, options.params, options.in_place),
                          diagnostics);
}

}  // namespace

int Convert(const ConvertOptions& options, std::string& text, Diagnostics& diagnostics) {
  auto file = SourceFile::Open(options.model, diagnostics, options.data_root);
  if (!file) return 2;
  if (options.target_dtype != "float32") {
    return RunPasses(std::move(*file), options, text, diagnostics);
  }
  if (!CheckUpcastOptions(options, diagnostics)) return 2;
  const UpcastOptions upcast = {options.params, options.dry_run ? "" : options.output,
                                options.io_types == "keep", false};
  const Format& format = FindFormat(*file);
  std::vector<std::string> read = InputFiles(options.inputs, options.inputs_from);
  if (!CheckFiles(format, options, std::move(read), diagnostics)) return 2;
  return format.upcast(std::move(*file), upcast, text, diagnostics) ? 0 : 2;
}

int Inspect(const InspectOptions& options, std::string& text, Diagnostics& diagnostics) {
  auto file = SourceFile::Open(options.model, diagnostics, options.data_root);
  if (!file) return 2;
  const Format& format = FindFormat(*file);
  const std::uint64_t bytes = file->bytes().size();
  const auto list =
      ReadWrittenList(DiskSource(options.list.empty() ? DataDirectory() : "."),
                      ListPath(options.list, format.model.name, options.target_dtype), diagnostics);
  if (!list) return 2;
  if (!format.has_params && !options.params.empty()) {
    diagnostics.Error({.path = options.params}, "--params is for MXNet models only",
                      "leave it out");
    return 2;
  }
  auto summary = format.summarise(std::move(*file), {options.params, options.nodes}, diagnostics);
  if (!summary) return 2;
  summary->model = options.model;
  summary->file_bytes = bytes;
  summary->list = PortablePath(list->path);
  Classify(*list, *summary);
  if (options.values) {
    summary->values = AnalyseValues(options, diagnostics);
    if (!summary->values) return 2;
  }
  text = options.format == "json" ? RenderSummaryJson(*summary) : RenderSummaryText(*summary);
  return 0;
}

int Revert(const RevertOptions& options, std::string& text, Diagnostics& diagnostics) {
  auto file = SourceFile::Open(options.model, diagnostics, options.data_root);
  if (!file) return 2;
  const Format& format = FindFormat(*file);
  if (!format.has_params && !options.params.empty()) {
    diagnostics.Error({.path = options.params}, "--params is for MXNet models only",
                      "leave it out");
    return 2;
  }
  if (!CheckFiles(format, options, {options.sidecar}, diagnostics)) return 2;
  if (options.sidecar.empty()) {
    const UpcastOptions upcast = {options.params, options.output, true, true};
    return format.upcast(std::move(*file), upcast, text, diagnostics) ? 0 : 2;
  }
  const SidecarPlaces places = {options.model,
                                options.params,
                                format.model_path(options.output),
                                format.has_params ? options.output : std::string(),
                                options.in_place,
                                options.data_root};
  if (!ApplySidecar(options.sidecar, places, diagnostics)) return 2;
  text = Printable(places.output) + ": the original of " + Printable(options.model) +
         ", byte for byte\n";
  return 0;
}

}  // namespace opledger
