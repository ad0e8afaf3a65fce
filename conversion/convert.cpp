// The pipeline, one step after the other.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/convert.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "conversion/labels.h"
#include "conversion/model/tensor_data.h"
#include "conversion/onnx_edits.h"
#include "conversion/weights.h"
#include "registry/data_directory.h"
#include "registry/suggestion.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

class Converter {
 public:
  Converter(const ConvertOptions& options, std::string& text, Diagnostics& diagnostics)
      : options_(options), text_(text), diagnostics_(diagnostics) {}

  bool Run();

 private:
  bool ReadList();
  bool ReadOptions();
  bool ReadModel();
  bool AddPolicies(const std::vector<std::string>& operators, Policy policy);
  bool Typed(const OnnxModel& model, const Typing& typing, const char* what);
  bool CheckCasts();
  bool CheckUnlisted();
  std::set<std::string> ExternalFiles() const;
  bool CopyExternal(const std::set<std::string>& files);
  bool Write(TensorData& data);
  bool Verify(const std::string& path);
  void Summarise();

  const ConvertOptions& options_;
  std::string& text_;
  Diagnostics& diagnostics_;
  std::optional<PrecisionList> list_;
  std::optional<Signatures> signatures_;
  std::optional<OnnxModel> model_;
  NamePatterns exclude_;
  LabelOptions label_options_;
  Typing typing_;
  std::vector<NodeLabel> labels_;
  Plan plan_;
};

bool Converter::ReadList() {
  std::string path = options_.list;
  if (path.empty()) path = DataDirectory() + "/lists/onnx/" + options_.target_dtype + ".json";
  list_ = ReadPrecisionList(path, options_.list.empty() ? DataDirectory() : ".", diagnostics_);
  if (!list_) return false;
  if (DtypeName(list_->target_dtype) != options_.target_dtype) {
    diagnostics_.Error({.path = path},
                       std::string("this list is for ") + DtypeName(list_->target_dtype) +
                           ", not " + options_.target_dtype,
                       std::string("give --target-dtype ") + DtypeName(list_->target_dtype));
    return false;
  }
  label_options_.list = &*list_;
  return true;
}

bool Converter::AddPolicies(const std::vector<std::string>& operators, Policy policy) {
  for (const std::string& op : operators) {
    const auto [place, added] = label_options_.policies.emplace(op, policy);
    if (added || place->second == policy) continue;
    diagnostics_.Error({}, "'" + op + "' is given two policies",
                       "name it in one of --target-ops, --fp32-ops and --widest-ops");
    return false;
  }
  return true;
}

bool Converter::ReadOptions() {
  for (const std::string& pattern : options_.exclude) {
    if (exclude_.Add(pattern)) continue;
    diagnostics_.Error({}, "'" + pattern + "' is no regular expression",
                       "give --exclude an ECMAScript expression, such as '^/encoder/'");
    return false;
  }
  label_options_.exclude = &exclude_;
  return AddPolicies(options_.target_ops, Policy::kTarget) &&
         AddPolicies(options_.fp32_ops, Policy::kFp32) &&
         AddPolicies(options_.widest_ops, Policy::kWidest);
}

// Whether the types fit; what does not is an error.
bool Converter::Typed(const OnnxModel& model, const Typing& typing, const char* what) {
  for (const TypeProblem& problem : typing.problems) {
    diagnostics_.Error(
        {.path = model.file.path()},
        std::string(what) + NodeText(model.graph, problem.node) + ": " + problem.message);
  }
  return typing.problems.empty();
}

bool Converter::ReadModel() {
  auto file = SourceFile::Open(options_.model, diagnostics_);
  if (!file) return false;
  model_ = ReadOnnx(std::move(*file), diagnostics_);
  if (!model_) return false;
  for (const std::string& problem : model_->problems) {
    diagnostics_.Error({.path = options_.model}, problem, "the model is invalid as it is");
  }
  signatures_ = Signatures::Load("onnx", diagnostics_);
  if (diagnostics_.has_errors()) return false;
  typing_ = InferTypes(model_->graph, *signatures_);
  return Typed(*model_, typing_, "the model is invalid as it is: ");
}

// Whether the model's version of Cast makes the target type.
bool Converter::CheckCasts() {
  const auto opset = model_->graph.opsets.find("");
  const std::int64_t version = opset == model_->graph.opsets.end() ? 1 : opset->second;
  const Signature* cast = signatures_->Find("", "Cast", version);
  const bool makes = cast != nullptr && cast->outputs.size() == 1 &&
                     cast->outputs[0].variable >= 0 &&
                     cast->variables[cast->outputs[0].variable].Allows(list_->target_dtype);
  if (makes) return true;
  diagnostics_.Error(
      {.path = options_.model},
      "the model's opset " + std::to_string(version) + " has no " + options_.target_dtype,
      "bring it to a newer opset first (bfloat16 came with 13)");
  return false;
}

bool Converter::CheckUnlisted() {
  std::map<std::string, int> unlisted;
  for (std::size_t id = 0; id < labels_.size(); ++id) {
    if (labels_[id].rule == "unlisted" || labels_[id].rule == "unknown") {
      const Node& node = model_->graph.nodes[id];
      ++unlisted[QualifiedName(node.domain, node.op)];
    }
  }
  if (options_.unlisted == "ignore") return true;
  for (const auto& [op, count] : unlisted) {
    const std::string message = "operator '" + op + "' (" + std::to_string(count) +
                                (count == 1 ? " node" : " nodes") + ") is not in the list";
    const std::string hint = "it keeps its types; give it a policy in " + list_->path +
                             ", or with --target-ops, --fp32-ops or --widest-ops";
    if (options_.unlisted == "error") diagnostics_.Error({.path = options_.model}, message, hint);
    if (options_.unlisted == "warn") diagnostics_.Warning({.path = options_.model}, message, hint);
  }
  return !diagnostics_.has_errors();
}

// The written file is read again and typed: never an invalid model.
bool Converter::Verify(const std::string& path) {
  auto file = SourceFile::Open(path, diagnostics_);
  if (!file) return false;
  auto model = ReadOnnx(std::move(*file), diagnostics_);
  if (!model) return false;
  for (const std::string& problem : model->problems) {
    diagnostics_.Error({.path = options_.output}, "a bug of opledger: " + problem);
  }
  const Typing typing = InferTypes(model->graph, *signatures_);
  return Typed(*model, typing, "a bug of opledger, nothing was written: ") &&
         !diagnostics_.has_errors();
}

void Converter::Summarise() {
  const auto low = std::count(plan_.low.begin(), plan_.low.end(), true);
  text_ = options_.model + ": " + std::to_string(low) + " of " +
          std::to_string(model_->graph.nodes.size()) + " nodes in " + options_.target_dtype + ", " +
          std::to_string(plan_.casts) + (plan_.casts == 1 ? " cast\n" : " casts\n");
}

// The files that external tensors stand in, as the model names them.
std::set<std::string> Converter::ExternalFiles() const {
  std::set<std::string> files;
  for (const Tensor& tensor : model_->graph.tensors) {
    if (tensor.storage == Tensor::Storage::kExternal) files.insert(tensor.location);
  }
  return files;
}

// A model that is not changed takes its data along under the names it gives them.
bool Converter::CopyExternal(const std::set<std::string>& files) {
  const fs::path from = fs::path(options_.model).parent_path();
  const fs::path to = fs::path(options_.output).parent_path();
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

bool Converter::Write(TensorData& data) {
  const std::set<std::string> files = ExternalFiles();
  std::error_code error;
  if (!files.empty() && fs::equivalent(options_.model, options_.output, error)) {
    diagnostics_.Error({.path = options_.output},
                       "a model with external data is not converted in place",
                       "give the converted model a name of its own");
    return false;
  }
  const std::string beside = fs::path(options_.output).filename().string() + ".data";
  OnnxDataFile data_file(*model_, data, list_->target_dtype, beside);
  if (!files.empty() && plan_.Changes() && !data_file.Check(diagnostics_)) return false;
  EditList edits = OnnxEdits(*model_, plan_, list_->target_dtype, data, data_file);
  if (!files.empty()) {
    // The data first: there is no moment at which the model speaks of data that is not there.
    const std::string path = (fs::path(options_.output).parent_path() / beside).string();
    const bool written =
        plan_.Changes() ? data_file.Write(path, diagnostics_) : CopyExternal(files);
    if (!written) return false;
  }
  const auto verify = [&](const std::string& path) { return Verify(path); };
  return WriteEdited(model_->file, edits, options_.output, diagnostics_, verify);
}

bool Converter::Run() {
  if (!ReadOptions() || !ReadList() || !ReadModel()) return false;
  labels_ = LabelNodes(model_->graph, typing_, label_options_);
  if (!CheckUnlisted()) return false;
  TensorData data(*model_);
  if (!PinByWeights(*model_, list_->target_dtype, data, labels_, diagnostics_)) return false;
  PlanOptions plan_options;
  plan_options.low_outputs = options_.io_types == "low";
  plan_ = MakePlan(model_->graph, labels_, plan_options);
  if (plan_.Changes() && !CheckCasts()) return false;
  Summarise();
  if (options_.dry_run) return true;
  return Write(data);
}

}  // namespace

int Convert(const ConvertOptions& options, std::string& text, Diagnostics& diagnostics) {
  return Converter(options, text, diagnostics).Run() ? 0 : 2;
}

}  // namespace opledger
