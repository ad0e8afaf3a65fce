// Reads, labels, places, edits, writes and verifies.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/convert_onnx.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "conversion/edit/onnx_edits.h"
#include "conversion/label/label.h"
#include "conversion/label/opset_advice.h"
#include "conversion/label/settings.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/pins/weights.h"
#include "conversion/place/cast_bytes.h"
#include "conversion/place/place_onnx.h"
#include "conversion/place/storage_plan.h"
#include "conversion/prepare/onnx_preparation.h"
#include "conversion/report/explanation.h"
#include "conversion/revert/onnx_sidecar.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

class OnnxConversion {
 public:
  OnnxConversion(const Settings& settings, std::string& text, Diagnostics& diagnostics)
      : settings_(settings), text_(text), diagnostics_(diagnostics) {}

  bool Run(SourceFile file);

 private:
  bool ReadModel(SourceFile file);
  bool Typed(const OnnxModel& model, const Typing& typing, const char* what);
  bool CheckCasts();
  std::set<std::string> ExternalFiles() const;
  bool CopyExternal(const std::set<std::string>& files);
  bool Write(TensorData& data);
  bool Verify(const std::string& path);
  void Summarise();
  bool Explain(TensorData& data, const CastCosts& costs, Explanation& explanation);
  bool RunStorageOnly(TensorData& data);
  bool Finish(TensorData& data, const CastCosts& costs);

  const Settings& settings_;
  std::string& text_;
  Diagnostics& diagnostics_;
  std::optional<Signatures> signatures_;
  std::optional<PreparedOnnx> prepared_;
  OnnxModel* model_ = nullptr;  // what is converted
  std::vector<NodeLabel> labels_;
  Plan plan_;
};

// Whether the types fit; what does not is an error.
bool OnnxConversion::Typed(const OnnxModel& model, const Typing& typing, const char* what) {
  for (const TypeProblem& problem : typing.problems) {
    diagnostics_.Error(
        {.path = model.file.path()},
        std::string(what) + NodeText(model.graph, problem.node) + ": " + problem.message);
  }
  return typing.problems.empty();
}

bool OnnxConversion::ReadModel(SourceFile file) {
  signatures_ = Signatures::Load("onnx", diagnostics_);
  if (!signatures_) return false;
  prepared_ = PrepareOnnx(std::move(file), settings_.options(), *signatures_, diagnostics_);
  if (!prepared_) return false;
  model_ = &prepared_->model;
  return true;
}

// Whether the model's version of Cast makes the target type.
bool OnnxConversion::CheckCasts() {
  if (CastMakes(model_->graph, settings_.target(), *signatures_)) return true;
  const auto opset = model_->graph.opsets.find("");
  const std::int64_t version = opset == model_->graph.opsets.end() ? 1 : opset->second;
  diagnostics_.Error({.path = settings_.options().model},
                     "the model's opset " + std::to_string(version) + " has no " +
                         settings_.options().target_dtype,
                     "bring it to a newer opset first (bfloat16 came with 13)");
  return false;
}

// The written file is read again and typed: never an invalid model.
bool OnnxConversion::Verify(const std::string& path) {
  auto file = SourceFile::Open(path, diagnostics_);
  if (!file) return false;
  auto model = ReadOnnx(std::move(*file), diagnostics_);
  if (!model) return false;
  for (const std::string& problem : model->problems) {
    diagnostics_.Error({.path = settings_.options().output}, "a bug of opledger: " + problem);
  }
  const Typing typing = InferTypes(model->graph, *signatures_);
  return Typed(*model, typing, "a bug of opledger, nothing was written: ") &&
         !diagnostics_.has_errors();
}

void OnnxConversion::Summarise() {
  const auto low = std::count(plan_.low.begin(), plan_.low.end(), true);
  text_ = settings_.options().model + ": " + std::to_string(low) + " of " +
          std::to_string(model_->graph.nodes.size()) + " nodes in " +
          settings_.options().target_dtype + ", " + std::to_string(plan_.casts) +
          (plan_.casts == 1 ? " cast\n" : " casts\n");
  text_ += prepared_->done.Text();
  text_ += OpsetAdvice(model_->graph, prepared_->typing, labels_, settings_.target(), *signatures_);
}

// The files that external tensors stand in, as the model names them.
std::set<std::string> OnnxConversion::ExternalFiles() const {
  std::set<std::string> files;
  for (const Tensor& tensor : model_->graph.tensors) {
    if (tensor.storage == Tensor::Storage::kExternal) files.insert(tensor.location);
  }
  return files;
}

// A model that is not changed takes its data along under the names it gives them.
bool OnnxConversion::CopyExternal(const std::set<std::string>& files) {
  const fs::path from = fs::path(settings_.options().model).parent_path();
  const fs::path to = fs::path(settings_.options().output).parent_path();
  std::error_code error;
  if (fs::equivalent(from.empty() ? "." : from, to.empty() ? "." : to, error)) return true;
  for (const std::string& name : files) {
    auto file =
        SourceFile::OpenBelow(from.empty() ? "." : from.string(), name, "the model", diagnostics_);
    if (!file) return false;
    fs::create_directories((to / name).parent_path(), error);
    EditList none;
    if (!WriteEdited(*file, none, (to / name).string(), diagnostics_)) return false;
  }
  return true;
}

bool OnnxConversion::Write(TensorData& data) {
  const std::set<std::string> files = ExternalFiles();
  std::error_code error;
  if (!files.empty() &&
      fs::equivalent(settings_.options().model, settings_.options().output, error)) {
    diagnostics_.Error({.path = settings_.options().output},
                       "a model with external data is not converted in place",
                       "give the converted model a name of its own");
    return false;
  }
  const std::string beside = fs::path(settings_.options().output).filename().string() + ".data";
  OnnxDataFile data_file(*model_, data, settings_.target(), beside);
  if (!files.empty() && plan_.Changes() && !data_file.Check(diagnostics_)) return false;
  EditList edits =
      prepared_->OfOriginal(OnnxEdits(*model_, plan_, settings_.target(), data, data_file));
  const OnnxModel& original = prepared_->Original();
  if (!files.empty()) {
    // The data first: there is no moment at which the model speaks of data that is not there.
    const std::string path = (fs::path(settings_.options().output).parent_path() / beside).string();
    const bool written =
        plan_.Changes() ? data_file.Write(path, diagnostics_) : CopyExternal(files);
    if (!written) return false;
  }
  const auto verify = [&](const std::string& path) { return Verify(path); };
  if (!WriteEdited(original.file, edits, settings_.options().output, diagnostics_, verify)) {
    return false;
  }
  if (settings_.options().sidecar.empty()) return true;
  const OnnxSidecarInput sidecar = {
      original, *model_, edits, data_file, files, settings_.options().output, settings_.target()};
  return WriteOnnxSidecar(sidecar, settings_.options().sidecar, diagnostics_);
}

bool OnnxConversion::Explain(TensorData& data, const CastCosts& costs, Explanation& explanation) {
  CastCosts elements = costs;
  for (auto& each : elements) {
    if (each) each = *each / kCastBytes;
  }
  const ReportInput input = {
      settings_.options().model, "onnx",    &model_->graph,  &labels_, &plan_,
      &settings_.list(),         &elements, &prepared_->done};
  const auto statistics = [&](ValueId value) {
    return ParameterRounding(*model_, value, settings_.target(), data);
  };
  return explanation.Make(input, settings_.options(), statistics, text_, diagnostics_);
}

bool OnnxConversion::RunStorageOnly(TensorData& data) {
  if (!CheckStorageOptions(settings_.options(), diagnostics_)) return false;
  LabelForStorage(labels_);
  const auto rounds = [&](ValueId value) {
    const auto statistics = ParameterRounding(*model_, value, settings_.target(), data);
    return statistics && statistics->overflowing == 0;
  };
  const auto costs = CastBytes(*model_, settings_.options(), diagnostics_);
  if (!costs) return false;
  plan_ = MakeStoragePlan(model_->graph, labels_, settings_.options(), rounds);
  if (plan_.Changes() && !CheckCasts()) return false;
  text_ = settings_.options().model + ": " + std::to_string(plan_.casts) +
          (plan_.casts == 1 ? " parameter" : " parameters") + " stored in " +
          settings_.options().target_dtype + ", computed in float32\n" + prepared_->done.Text();
  return Finish(data, *costs);
}

// Says, writes and reports what the plan is.
bool OnnxConversion::Finish(TensorData& data, const CastCosts& costs) {
  Explanation explanation;
  if (!Explain(data, costs, explanation)) return false;
  if (!settings_.options().dry_run && !Write(data)) return false;
  return explanation.Write(settings_.options(), diagnostics_);
}

bool OnnxConversion::Run(SourceFile file) {
  if (!ReadModel(std::move(file))) return false;
  labels_ = LabelNodes(model_->graph, prepared_->typing, settings_.label_options());
  if (!CheckUnlisted(settings_, model_->graph, labels_, diagnostics_)) return false;
  TensorData data(*model_);
  if (settings_.options().storage_only) return RunStorageOnly(data);
  CastCosts costs;
  if (!PlaceOnnx(*model_, settings_, data, labels_, costs, plan_, diagnostics_)) return false;
  if (plan_.Changes() && !CheckCasts()) return false;
  Summarise();
  return Finish(data, costs);
}

}  // namespace

bool ConvertOnnx(SourceFile file, const ConvertOptions& options, std::string& text,
                 Diagnostics& diagnostics) {
  Settings settings(options);
  return settings.Read("onnx", diagnostics) &&
         OnnxConversion(settings, text, diagnostics).Run(std::move(file));
}

}  // namespace opledger
