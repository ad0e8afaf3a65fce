// Reads a model of either format, and types what can be typed; what is wrong with it is a warning.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/inspect.h"

#include <optional>

#include "conversion/model/graph/types.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "conversion/model/onnx/onnx.h"
#include "conversion/report/model_summary.h"
#include "conversion/report/report.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

std::optional<ModelSummary> SummariseOnnx(SourceFile file, Diagnostics& diagnostics) {
  auto model = ReadOnnx(std::move(file), diagnostics);
  auto signatures = Signatures::Load("onnx", diagnostics);
  if (!model || !signatures) return std::nullopt;
  for (const std::string& problem : model->problems) {
    diagnostics.Warning({.path = model->file.path()}, problem, "`opledger convert` refuses it");
  }
  const Typing typing = InferTypes(model->graph, *signatures);
  for (const TypeProblem& problem : typing.problems) {
    diagnostics.Warning({.path = model->file.path()},
                        NodeText(model->graph, problem.node) + ": " + problem.message,
                        "`opledger convert` refuses it");
  }
  ModelSummary summary = Summarise(model->graph);
  summary.format = "ONNX";
  return summary;
}

std::optional<ModelSummary> SummariseMxnet(SourceFile file, Diagnostics& diagnostics) {
  const auto symbol = ReadMxnetSymbol(std::move(file), diagnostics);
  if (!symbol) return std::nullopt;
  ModelSummary summary = Summarise(symbol->graph);
  const std::int64_t version = symbol->version;
  summary.format = "MXNet " + std::to_string(version / 10000) + "." +
                   std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
  return summary;
}

}  // namespace

int Inspect(const InspectOptions& options, std::string& text, Diagnostics& diagnostics) {
  auto file = SourceFile::Open(options.model, diagnostics);
  if (!file) return 2;
  const std::uint64_t bytes = file->bytes().size();
  const bool mxnet = file->bytes().starts_with('{');
  std::string path = options.list;
  if (path.empty()) {
    path =
        DataDirectory() + "/lists/" + (mxnet ? "mxnet/" : "onnx/") + options.target_dtype + ".json";
  }
  const auto list =
      ReadPrecisionList(path, options.list.empty() ? DataDirectory() : ".", diagnostics);
  if (!list) return 2;
  auto summary = mxnet ? SummariseMxnet(std::move(*file), diagnostics)
                       : SummariseOnnx(std::move(*file), diagnostics);
  if (!summary) return 2;
  summary->model = options.model;
  summary->file_bytes = bytes;
  summary->list = PortablePath(list->path);
  Classify(*list, *summary);
  text = options.format == "json" ? RenderSummaryJson(*summary) : RenderSummaryText(*summary);
  return 0;
}

}  // namespace opledger
