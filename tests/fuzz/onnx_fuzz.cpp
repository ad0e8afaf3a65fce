// Any bytes as an ONNX model: no crash, no hang. A model that is one is converted to one whose
// types fit, and that does not change when it is converted again.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>

#include "conversion/labels.h"
#include "conversion/onnx_edits.h"
#include "conversion/weights.h"
#include "registry/precision_list.h"

namespace {

using opledger::Dtype;

void Require(bool law) {
  if (!law) std::abort();
}

// Everything a conversion needs that is no model, read once.
struct Tables {
  opledger::Diagnostics diagnostics;
  std::optional<opledger::Signatures> signatures = opledger::Signatures::Load("onnx", diagnostics);
  std::optional<opledger::PrecisionList> list = opledger::ParsePrecisionList(
      "list.json",
      R"({"framework": "onnx", "target_dtype": "float16", "target": ["MatMul", "Conv", "Gemm"],
          "fp32": ["Exp", "Softmax"], "widest": ["Add", "Mul", "Concat"],
          "either": ["Relu", "Reshape", "Identity", "Transpose", "BatchNormalization"]})",
      diagnostics);
};

// The converted model; none: this is no model that can be converted.
std::optional<std::string> Converted(std::string bytes, bool& changed) {
  static Tables tables;
  Require(tables.signatures && tables.list);
  opledger::Diagnostics diagnostics;
  auto model = opledger::ReadOnnx(opledger::SourceFile::FromText("fuzz.onnx", std::move(bytes)),
                                  diagnostics);
  if (!model || !model->problems.empty()) return std::nullopt;
  const opledger::Typing typing = opledger::InferTypes(model->graph, *tables.signatures);
  if (!typing.problems.empty()) return std::nullopt;
  for (const opledger::Tensor& tensor : model->graph.tensors) {
    if (tensor.storage == opledger::Tensor::Storage::kExternal) return std::nullopt;
  }
  opledger::LabelOptions options;
  options.list = &*tables.list;
  auto labels = opledger::LabelNodes(model->graph, typing, options);
  opledger::TensorData data(*model);
  if (!opledger::PinByWeights(*model, Dtype::kFloat16, data, labels, diagnostics)) {
    return std::nullopt;
  }
  const opledger::Plan plan = opledger::MakePlan(model->graph, labels, {});
  changed = plan.Changes();
  opledger::OnnxDataFile external(*model, data, Dtype::kFloat16, "fuzz.data");
  opledger::EditList edits = opledger::OnnxEdits(*model, plan, Dtype::kFloat16, data, external);
  return opledger::EditedText(model->file, edits);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bool changed = false;
  const auto once = Converted(std::string(reinterpret_cast<const char*>(data), size), changed);
  if (!once || !changed) return 0;
  const auto twice = Converted(*once, changed);
  Require(twice && !changed && *twice == *once);
  return 0;
}
