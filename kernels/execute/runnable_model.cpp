// MXNet's models are JSON, ONNX's are not.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/execute/runnable_model.h"

#include "kernels/bindings/mxnet/mxnet.h"
#include "kernels/bindings/onnx/onnx.h"
#include "kernels/core/memory_limit.h"
#include "kernels/core/npy_file.h"

namespace opledger {

namespace {

// "NAME=DTYPE" for each input of a file. None, with an error: it cannot be read.
std::optional<std::vector<std::string>> TypesOfFiles(const InputOptions& inputs,
                                                     Diagnostics& diagnostics) {
  std::vector<std::string> types;
  for (const std::string& given : inputs.given) {
    const auto [name, from] = CutAtEquals(given);
    if (from == "random") continue;
    const auto tensor = ReadNpy(from, diagnostics);
    if (!tensor) return std::nullopt;
    types.push_back(name + "=" + DtypeName(tensor->type.dtype));
  }
  return types;
}

bool TakeMemoryLimit(const std::string& said, Diagnostics& diagnostics) {
  if (said.empty()) return true;
  const auto bytes = ParseMemorySize(said);
  if (bytes) {
    SetMemoryLimit(*bytes);
  } else {
    diagnostics.Error({}, "--memory-limit: must be a size, not '" + said + "'",
                      "write a number of bytes, or 512M, or 16G");
  }
  return bytes.has_value();
}

}  // namespace

std::optional<RunnableModel> OpenRunnable(const std::string& path, const std::string& params,
                                          const InputOptions& inputs, Diagnostics& diagnostics) {
  if (!TakeMemoryLimit(inputs.memory_limit, diagnostics)) return std::nullopt;
  auto file = SourceFile::Open(path, diagnostics);
  if (!file) return std::nullopt;
  RunnableModel runnable{path, nullptr, nullptr};
  if (IsMxnetSymbol(file->bytes())) {
    auto types = TypesOfFiles(inputs, diagnostics);
    if (!types) return std::nullopt;
    auto model = OpenMxnetToRun(std::move(*file), {params, std::move(*types)}, diagnostics);
    if (!model) return std::nullopt;
    runnable.mxnet = std::make_unique<MxnetModel>(std::move(*model));
    return runnable;
  }
  if (!params.empty()) {
    diagnostics.Error({.path = path}, "it is no MXNet symbol, so it has no --params");
    return std::nullopt;
  }
  auto model = OpenToRun(path, diagnostics);
  if (!model) return std::nullopt;
  runnable.onnx = std::make_unique<OnnxModel>(std::move(*model));
  return runnable;
}

std::optional<Autocast> AutocastOf(RunnableModel& model, const std::string& target_dtype,
                                   const std::string& list, Diagnostics& diagnostics,
                                   const std::vector<std::string>& fp32_nodes) {
  return model.onnx ? MakeAutocast(*model.onnx, target_dtype, list, diagnostics, fp32_nodes)
                    : MakeAutocast(*model.mxnet, target_dtype, list, diagnostics, fp32_nodes);
}

Binding Bind(RunnableModel& model) {
  if (model.onnx) return BindOnnx(*model.onnx);
  LeaveOutTraining(*model.mxnet);
  return BindMxnet(*model.mxnet);
}

std::optional<ModelInputs> TakeInputs(const RunnableModel& model, const InputOptions& options,
                                      Diagnostics& diagnostics) {
  if (model.onnx) return TakeInputs(*model.onnx, options, diagnostics);
  const auto shape_of = [&](ValueId value) { return ShapeOfVariable(*model.mxnet, value); };
  const auto pattern_of = [&](ValueId value) { return PatternOfVariable(*model.mxnet, value); };
  return TakeInputs(
      InputSource{model.graph(), model.path, shape_of, pattern_of, model.mxnet->unread}, options,
      diagnostics);
}

}  // namespace opledger
