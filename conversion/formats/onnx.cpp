// ONNX models: one file, and what external data it names.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <set>
#include <utility>

#include "conversion/edit/onnx_edits.h"
#include "conversion/formats/formats.h"
#include "conversion/label/opset_advice.h"
#include "conversion/pins/weights.h"
#include "conversion/place/place_onnx.h"
#include "conversion/prepare/duplicate_nodes_onnx.h"
#include "conversion/prepare/inline_functions.h"
#include "conversion/revert/onnx_sidecar.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnBug = "internal error, nothing was written: ";

class OnnxConversion final : public ModelConversion {
 public:
  OnnxConversion(const Settings& settings, Diagnostics& diagnostics)
      : settings_(settings), options_(settings.options()), diagnostics_(diagnostics) {}

  bool Read(SourceFile file) override {
    signatures_ = Signatures::Load("onnx", diagnostics_);
    if (!signatures_) return false;
    model_ = ReadOnnx(std::move(file), diagnostics_);
    return model_ && CheckProblems("the input model is invalid");
  }

  bool InlineFunctions(Preparation& done) override {
    std::uint64_t calls = 0;
    auto edits = opledger::InlineFunctions(*model_, *signatures_, {}, calls, diagnostics_);
    if (!edits) return false;
    done.inlined_calls = calls;
    return graph().functions.empty() || Prepare(std::move(*edits));
  }

  bool FindTypes() override {
    typing_ = InferTypes(model_->graph, *signatures_);
    return IsTyped(*model_, typing_, "the input model is invalid: ");
  }

  bool MergeDuplicates(Preparation& done) override {
    const DuplicateNodes found = FindOnnxDuplicates(*model_, typing_);
    done.merged_nodes = found.merged;
    done.removed_casts = found.casts;
    return !found.Changes() || (Prepare(RemoveDuplicates(*model_, found)) && FindTypes());
  }

  std::vector<NodeLabel> Label() override {
    data_.emplace(*model_);
    return LabelNodes(graph(), typing_, settings_.label_options());
  }

  bool Place(std::vector<NodeLabel>& labels, Plan& plan) override {
    return PlaceOnnx(*model_, settings_, *data_, labels, costs_, plan, diagnostics_);
  }

  bool CheckStorage() override {
    auto costs = CastBytes(*model_, options_, diagnostics_);
    if (costs) costs_ = std::move(*costs);
    return costs.has_value();
  }

  bool CanStoreLow(ValueId value) override {
    const auto statistics = Rounding(value);
    return statistics && statistics->overflowing == 0;
  }

  bool CheckCasts() override {
    if (CastMakes(graph(), settings_.target(), *signatures_)) return true;
    const auto opset = graph().opsets.find("");
    const std::int64_t version = opset == graph().opsets.end() ? 1 : opset->second;
    return diagnostics_.Error(
        {.path = options_.model},
        "the model's opset " + std::to_string(version) + " has no " + options_.target_dtype,
        "raise its opset first (bfloat16 needs 13)");
  }

  void Edit(const Plan& plan) override {
    changes_ = plan.Changes();
    for (const Tensor& tensor : graph().tensors) {
      if (tensor.storage == Tensor::Storage::kExternal) external_.insert(tensor.location);
    }
    data_file_.emplace(*model_, *data_, settings_.target(),
                       fs::path(options_.output).filename().string() + ".data");
    edits_ = OfOriginal(OnnxEdits(*model_, plan, settings_.target(), *data_, *data_file_));
  }

  bool Write() override {
    std::error_code error;
    if (!external_.empty() && fs::equivalent(options_.model, options_.output, error)) {
      return diagnostics_.Error({.path = options_.output},
                                "a model with external data cannot be converted in place",
                                "give the converted model another name");
    }
    // The data first: there is no moment at which the model speaks of data that is not there.
    if (!external_.empty() && !(changes_ ? WriteData() : CopyExternal())) return false;
    const auto verify = [&](const std::string& path) { return Verify(path); };
    return WriteEdited(Original().file, edits_, options_.output, diagnostics_, verify);
  }

  bool WriteSidecar() override {
    const OnnxSidecarInput sidecar = {
        Original(), *model_, edits_, *data_file_, external_, options_.output, settings_.target()};
    return WriteOnnxSidecar(sidecar, options_.sidecar, diagnostics_);
  }

  const Graph& graph() const override { return model_->graph; }

  std::optional<std::uint64_t> Elements(ValueId value) const override {
    const auto& bytes = costs_[value];
    return bytes ? std::optional(*bytes / kCastBytes) : std::nullopt;
  }

  std::optional<RoundingStatistics> Rounding(ValueId value) override {
    return ParameterRounding(*model_, value, settings_.target(), *data_);
  }

  std::string Advice(const std::vector<NodeLabel>& labels) override {
    return OpsetAdvice(graph(), typing_, labels, settings_.target(), *signatures_);
  }

 private:
  const OnnxModel& Original() const { return original_ ? *original_ : *model_; }

  // Edits of the model as edits of the original.
  EditList OfOriginal(EditList edits) {
    if (!original_) return edits;
    return ComposeEdits(original_->file.bytes().size(), preparations_, edits);
  }

  // The model becomes the one with these edits.
  bool Prepare(EditList edits) {
    const SourceFile& file = model_->file;
    auto next = ReadOnnx(SourceFile::FromText(file.path(), EditedText(file, edits)), diagnostics_);
    if (!next) return false;
    preparations_ = OfOriginal(std::move(edits));
    OnnxModel before = std::exchange(*model_, std::move(*next));
    if (!original_) original_ = std::move(before);
    return CheckProblems("internal error");
  }

  bool CheckProblems(const char* hint) {
    for (const std::string& problem : model_->problems) {
      diagnostics_.Error({.path = model_->file.path()}, problem, hint);
    }
    return model_->problems.empty();
  }

  // Whether the types fit; what does not is an error.
  bool IsTyped(const OnnxModel& model, const Typing& typing, const char* what) {
    for (const TypeProblem& problem : typing.problems) {
      diagnostics_.Error(
          {.path = model.file.path()},
          std::string(what) + NodeText(model.graph, problem.node) + ": " + problem.message);
    }
    return typing.problems.empty();
  }

  bool WriteData() {
    const fs::path folder = fs::path(options_.output).parent_path();
    return data_file_->Check(diagnostics_) &&
           data_file_->Write((folder / data_file_->location()).string(), diagnostics_);
  }

  // A model that is not changed takes its data along under the names it gives them.
  bool CopyExternal() {
    const fs::path from = fs::path(options_.model).parent_path();
    const fs::path to = fs::path(options_.output).parent_path();
    std::error_code error;
    if (fs::equivalent(from.empty() ? "." : from, to.empty() ? "." : to, error)) return true;
    for (const std::string& name : external_) {
      auto file = SourceFile::OpenBelow(from.empty() ? "." : from.string(), name, "the model",
                                        diagnostics_);
      if (!file) return false;
      fs::create_directories((to / name).parent_path(), error);
      EditList none;
      if (!WriteEdited(*file, none, (to / name).string(), diagnostics_)) return false;
    }
    return true;
  }

  // The written file is read again and typed: never an invalid model.
  bool Verify(const std::string& path) {
    auto file = SourceFile::Open(path, diagnostics_);
    if (!file) return false;
    auto model = ReadOnnx(std::move(*file), diagnostics_);
    if (!model) return false;
    for (const std::string& problem : model->problems) {
      diagnostics_.Error({.path = options_.output}, "internal error: " + problem);
    }
    const Typing typing = InferTypes(model->graph, *signatures_);
    return IsTyped(*model, typing, kOwnBug) && !diagnostics_.has_errors();
  }

  const Settings& settings_;
  const ConvertOptions& options_;
  Diagnostics& diagnostics_;
  std::optional<Signatures> signatures_;
  std::optional<OnnxModel> model_;     // what is converted
  std::optional<OnnxModel> original_;  // none: the model is as its file
  EditList preparations_;              // of the original
  Typing typing_;
  std::optional<TensorData> data_;
  CastCosts costs_;
  bool changes_ = false;
  std::set<std::string> external_;  // files of external data, as the model names them
  std::optional<OnnxDataFile> data_file_;
  EditList edits_;  // of the original
};

}  // namespace

std::unique_ptr<ModelConversion> ConvertOnnx(const Settings& settings, Diagnostics& diagnostics) {
  return std::make_unique<OnnxConversion>(settings, diagnostics);
}

std::optional<ModelSummary> SummariseOnnx(SourceFile file, Diagnostics& diagnostics) {
  auto model = ReadOnnx(std::move(file), diagnostics);
  auto signatures = Signatures::Load("onnx", diagnostics);
  if (!model || !signatures) return std::nullopt;
  for (const std::string& problem : model->problems) {
    diagnostics.Warning({.path = model->file.path()}, problem, "`opledger convert` rejects it");
  }
  const Typing typing = InferTypes(model->graph, *signatures);
  for (const TypeProblem& problem : typing.problems) {
    diagnostics.Warning({.path = model->file.path()},
                        NodeText(model->graph, problem.node) + ": " + problem.message,
                        "`opledger convert` rejects it");
  }
  ModelSummary summary = Summarise(model->graph);
  summary.format = "ONNX";
  return summary;
}

}  // namespace opledger
