// Converts arbitrary bytes as an ONNX model; the size chooses the options. A valid model yields a
// model that can be read again, whose types are consistent, and that a second conversion does not
// change. The outputs of `opledger revert`, --fuse and --opset can be read again, too.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "conversion/edit/onnx_edits.h"
#include "conversion/hazards/model_hazards.h"
#include "conversion/hazards/rounding_statistics.h"
#include "conversion/label/label.h"
#include "conversion/label/opset_advice.h"
#include "conversion/model/onnx/validity.h"
#include "conversion/model/operators/shapes.h"
#include "conversion/place/place.h"
#include "conversion/place/place_onnx.h"
#include "conversion/place/place_raised.h"
#include "conversion/prepare/fuse_chains.h"
#include "conversion/prepare/raise_opset.h"
#include "conversion/revert/revert.h"
#include "registry/precision_list/precision_list.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using opledger::Dtype;
using opledger::fuzz::Require;

// Tables that a conversion needs, read once.
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

Tables& TheTables() {
  static Tables tables;
  Require(tables.signatures && tables.list, "the tables can be read");
  return tables;
}

struct Choice {
  Dtype target = Dtype::kFloat16;
  opledger::ConvertOptions options;
};

// Computed from the size, so that changing single bytes keeps the options.
Choice ChooseBy(std::size_t size) {
  Choice choice;
  if (size & 1) choice.target = Dtype::kBfloat16;
  choice.options.target_dtype = DtypeName(choice.target);
  if (size & 2) choice.options.io_types = "low";
  choice.options.taint = (size & 4) != 0;
  choice.options.min_elements = (size & 8) != 0 ? 4 : 0;
  choice.options.storage_only = (size & 48) == 48;
  if ((size & 48) == 16) choice.options.cost = "bytes";
  if (size & 64) choice.options.small_constants = "clamp";
  return choice;
}

struct Read {
  std::optional<opledger::OnnxModel> model;
  opledger::Typing typing;
  bool valid = false;
};

Read ReadTyped(std::string bytes) {
  opledger::Diagnostics diagnostics;
  Read read;
  read.model = opledger::ReadOnnx(opledger::SourceFile::FromText("fuzz.onnx", std::move(bytes)),
                                  diagnostics);
  if (!read.model || !read.model->problems.empty()) return read;
  read.typing = opledger::InferTypes(read.model->graph, *TheTables().signatures);
  read.valid =
      read.typing.problems.empty() && opledger::FindInvalidNodes(*read.model, read.typing).empty();
  for (const opledger::Tensor& tensor : read.model->graph.tensors) {
    if (tensor.storage == opledger::Tensor::Storage::kExternal) read.valid = false;
  }
  return read;
}

// Returns the plan for a model; nullopt if it is refused.
std::optional<opledger::Plan> PlanOf(const Read& read, const Choice& choice,
                                     opledger::TensorData& data) {
  opledger::Diagnostics diagnostics;
  const opledger::OnnxModel& model = *read.model;
  opledger::LabelOptions label_options;
  label_options.list = &*TheTables().list;
  auto labels = opledger::LabelNodes(model.graph, read.typing, label_options);
  const bool raises = choice.options.RaisesSmall();
  const auto costs = opledger::CastBytes(model, choice.options, diagnostics);
  Require(costs.has_value(), "costs are known without --input-shape");
  if (choice.options.storage_only) {
    opledger::LabelForStorage(labels);
    const auto rounds = [&](opledger::ValueId value) {
      const auto found = opledger::ParameterRounding(model, value, choice.target, raises, data);
      return found && found->overflowing == 0;
    };
    return opledger::MakeStoragePlan(model.graph, labels, choice.options, rounds);
  }
  const auto shapes = opledger::InferShapes(model, {}, diagnostics);
  Require(shapes.has_value(), "shapes are known without --input-shape");
  opledger::PlanOptions options;
  options.raises_small = raises;
  options.low_outputs = choice.options.io_types == "low";
  if (choice.options.cost == "bytes") options.costs = &*costs;
  const auto numbers =
      opledger::ReadNumbers(model, *shapes, choice.target, data, &labels, {}, diagnostics);
  if (!numbers) return std::nullopt;
  const auto raise = [&](opledger::Diagnostics& of_round) {
    return opledger::RaiseModelHazards(*numbers, choice.target, choice.options, labels, of_round);
  };
  opledger::Plan plan =
      opledger::PlaceRaised(model.graph, choice.options, options, raise, labels, diagnostics);
  if (!opledger::CheckCosts(model, plan, diagnostics) ||
      !opledger::CheckParameters(model, plan, data, diagnostics)) {
    return std::nullopt;
  }
  return plan;
}

// Returns the converted model; nullopt if the input cannot be converted.
std::optional<std::string> Converted(const Read& read, const Choice& choice, bool& changed) {
  opledger::TensorData data(*read.model);
  const auto plan = PlanOf(read, choice, data);
  if (!plan) return std::nullopt;
  changed = plan->Changes();
  if (changed &&
      !opledger::CastMakes(read.model->graph.OpsetIn(0), choice.target, *TheTables().signatures)) {
    return std::nullopt;
  }
  opledger::OnnxDataFile external(*read.model, data, choice.target, plan->raises_small,
                                  "fuzz.data");
  opledger::EditList edits = opledger::OnnxEdits(*read.model, *plan, choice.target, data, external);
  return opledger::EditedText(read.model->file, edits);
}

void Revert(const opledger::OnnxModel& model) {
  opledger::Diagnostics diagnostics;
  auto edits = opledger::UpcastEdits(model, {"", "", true, true}, diagnostics);
  if (!edits) return;
  opledger::SourceFile widened =
      opledger::SourceFile::FromText("widened.onnx", opledger::EditedText(model.file, *edits));
  Require(opledger::ReadOnnx(std::move(widened), diagnostics).has_value(),
          "a reverted model that is read again");
}

// A conversion by bytes needs the shapes of the casts' outputs; if the model's own declarations are
// inconsistent, a converted model can lack them.
bool KnowsCosts(const opledger::OnnxModel& model, const Choice& choice) {
  opledger::Diagnostics diagnostics;
  const auto shapes = opledger::InferShapes(model, {}, diagnostics);
  return choice.options.cost != "bytes" || (shapes && shapes->problems.empty());
}

// Tests --fuse and --opset.
void Prepare(const opledger::OnnxModel& model) {
  std::vector<opledger::NodeChain> chains = opledger::FindChains(model);
  std::erase_if(chains, [&](const opledger::NodeChain& chain) {
    const std::int64_t opset = model.graph.OpsetIn(model.graph.nodes[chain.nodes.back()].scope);
    return !chain.replaceable || opset < chain.opset;
  });
  if (!chains.empty()) {
    opledger::EditList edits = opledger::FuseChains(model, chains);
    Require(ReadTyped(opledger::EditedText(model.file, edits)).valid,
            "a model with fused chains whose types fit");
  }
  opledger::Diagnostics diagnostics;
  static const auto steps = opledger::OpsetSteps::Load(diagnostics);
  Require(steps.has_value(), "the table of opsets can be read");
  auto raised = opledger::RaiseOpset(model, *TheTables().signatures, *steps, 23);
  if (!raised.edits) return;
  Require(opledger::ReadOnnx(opledger::SourceFile::FromText(
                                 "raised.onnx", opledger::EditedText(model.file, *raised.edits)),
                             diagnostics)
              .has_value(),
          "a raised model that is read again");
}

}  // namespace

FUZZ_TARGET(onnx_conversion) {
  const Read original = ReadTyped(std::string(reinterpret_cast<const char*>(data), size));
  if (!original.valid) return 0;
  Prepare(*original.model);
  const Choice choice = ChooseBy(size);
  bool changed = false;
  const auto once = Converted(original, choice, changed);
  if (!once || !changed) return 0;
  const Read again = ReadTyped(*once);
  Require(again.valid, "types of a converted model are consistent");
  const auto twice = Converted(again, choice, changed);
  Require(twice ? !changed && *twice == *once : !KnowsCosts(*original.model, choice),
          "a model that is converted once");
  Revert(*again.model);
  return 0;
}
