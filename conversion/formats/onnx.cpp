// Converts ONNX models: one file and the external data that it names.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "conversion/edit/onnx_edits.h"
#include "conversion/formats/formats.h"
#include "conversion/hazards/model_hazards.h"
#include "conversion/label/opset_advice.h"
#include "conversion/label/quantised_nodes.h"
#include "conversion/model/chains/chains.h"
#include "conversion/model/onnx/validity.h"
#include "conversion/place/label_onnx.h"
#include "conversion/place/place_onnx.h"
#include "conversion/prepare/better_opset.h"
#include "conversion/prepare/duplicate_nodes_onnx.h"
#include "conversion/prepare/fuse_chains.h"
#include "conversion/prepare/inline_functions.h"
#include "conversion/prepare/sort_nodes.h"
#include "conversion/revert/onnx_sidecar.h"
#include "conversion/values/input_ranges.h"
#include "conversion/values/parameter_ranges.h"
#include "registry/files/file_attributes.h"
#include "registry/files/files.h"
#include "registry/files/output_files.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxProblems = 10;   // reported at most
constexpr std::int64_t kNewestOpset = 64;  // an upper bound on any opset
const std::string kOwnBug = "nothing was written, the result would be invalid: ";

class OnnxConversion final : public ModelConversion {
 public:
  OnnxConversion(const Settings& settings, Diagnostics& diagnostics)
      : settings_(settings), options_(settings.options()), diagnostics_(diagnostics) {}

  bool Read(SourceFile file) override {
    signatures_ = Signatures::Load("onnx", diagnostics_);
    if (!signatures_) return false;
    model_ = ReadOnnx(std::move(file), diagnostics_);
    return model_ && CheckProblems("the input model is invalid") && Sort();
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
    return IsValid(*model_, typing_, "the input model is invalid: ");
  }

  bool MergeDuplicates(Preparation& done) override {
    const DuplicateNodes found = FindOnnxDuplicates(*model_, typing_);
    done.merged_nodes = done.merged_nodes.value_or(0) + found.merged;
    done.removed_casts += found.casts;
    if (found.Changes()) labels_.reset();
    return !found.Changes() || (Prepare(RemoveDuplicates(*model_, found)) && FindTypes());
  }

  bool RaiseOpset(Preparation& done) override {
    if (options_.opset == "keep") return true;
    if (options_.opset != "auto") return RaiseTo(std::stoll(options_.opset), done);
    labels_ = LabelOnnx(*model_, typing_, settings_);
    const WantedOpsets wanted =
        FindWantedOpsets(*model_, typing_, *labels_, settings_, *signatures_);
    if (!wanted.note.empty()) done.opset_notes.push_back(wanted.note);
    const bool read =
        wanted.opsets.empty() || RaiseToFirst(wanted.opsets, wanted.if_better, done).has_value();
    if (!done.opset_notes.empty()) why_not_raised_ = done.opset_notes.back();
    return read;
  }

  bool Fuse(Preparation& done) override {
    std::vector<NodeChain> chains = ReplaceableChains();
    const bool raises = options_.opset == "auto" && settings_.list().opset != Opset();
    if (raises && RaiseForChains(chains, done)) chains = ReplaceableChains();
    std::erase_if(chains, [&](const NodeChain& chain) {
      const bool newer = OpsetOf(chain) < chain.opset;
      if (newer) ++done.unfused_chains[chain.opset];
      return newer;
    });
    done.fused_chains = chains.size();
    if (chains.empty()) return true;
    labels_.reset();
    return Prepare(FuseChains(*model_, chains)) && FindTypes();
  }

  std::vector<NodeLabel> Label() override {
    data_.emplace(*model_);
    if (labels_) return std::move(*labels_);
    return LabelOnnx(*model_, typing_, settings_);
  }

  bool Place(std::vector<NodeLabel>& labels, Plan& plan) override {
    if (!ReadInputRanges()) return false;
    return PlaceOnnx(*model_, settings_, inputs_, *data_, labels, costs_, plan, diagnostics_);
  }

  std::optional<std::vector<ValueSummary>> Values(const std::vector<NodeLabel>& labels,
                                                  Diagnostics& diagnostics) override {
    const auto shapes = KnownShapes(*model_, options_, diagnostics);
    if (!shapes) return std::nullopt;
    const auto numbers =
        ReadNumbers(*model_, *shapes, settings_.target(), *data_, nullptr, inputs_, diagnostics);
    if (!numbers) return std::nullopt;
    return SummariseValues(numbers->model, labels, settings_.target(),
                           RaisesSmall(options_, settings_.target()));
  }

  bool CheckStorage() override {
    if (!ReadInputRanges()) return false;
    auto costs = CastBytes(*model_, options_, diagnostics_);
    if (costs) costs_ = std::move(*costs);
    return costs.has_value();
  }

  bool CanStoreLow(ValueId value) override {
    const auto statistics = Rounding(value);
    return statistics && RoundsWell(*statistics, IsOfContractions(graph(), value));
  }

  bool CheckCasts() override {
    std::int64_t needed = Opset();
    while (needed < kNewestOpset && !CastMakes(needed, settings_.target(), *signatures_)) ++needed;
    if (needed == Opset()) return true;
    const std::string newer = std::to_string(needed);
    const std::string other = ", or convert it with --target-dtype float16";
    std::string what =
        "the model's opset " + std::to_string(Opset()) + " has no " + options_.target_dtype;
    if (options_.opset != "auto") {
      return diagnostics_.Error({.path = options_.model}, what,
                                "leave out --opset, or give --opset " + newer + " or more" + other);
    }
    if (!why_not_raised_.empty()) what += ", and it is " + why_not_raised_;
    return diagnostics_.Error(
        {.path = options_.model}, what,
        "export the model with opset " + newer + " or newer, or without that node" + other);
  }

  void Edit(const Plan& plan) override {
    plan_ = &plan;
    for (const Tensor& tensor : graph().tensors) {
      if (tensor.storage == Tensor::Storage::kExternal) external_.insert(tensor.location);
    }
    if (sorted_) {
      diagnostics_.Warning({.path = Original().file.path()},
                           "nodes read values before they are computed, which ONNX forbids; the "
                           "nodes are sorted");
    }
    EditWithData(0);
  }

  std::vector<std::string> NamedFiles(const std::string& path) const override {
    return ExternalFiles(graph(), path);
  }

  bool CheckWrite() override {
    if (!external_.empty() && !data_file_->Check(diagnostics_)) return false;
    EditList edits = edits_;
    const SourceFile& file = Original().file;
    auto edited = SourceFile::FromText(file.path(), EditedText(file, edits), file.data_root());
    return VerifyFile(std::move(edited), false);
  }

  // Writes the data first, under a new name, then the sidecar, then the model. At no point does a
  // model name data that does not exist, or replace one that could not be restored.
  bool Write() override {
    UnfinishedFile data;
    if (!external_.empty() && !(plan_->Changes() ? WriteData(data) : CopyExternal())) return false;
    // New data is next to the output; unchanged data may be next to the model.
    const std::string root = plan_->Changes() || !IsBesideModel() ? "" : options_.data_root;
    UnfinishedFile sidecar;
    const auto verify = [&](const std::string& path) {
      auto file = SourceFile::Open(path, diagnostics_, root);
      return file && VerifyFile(std::move(*file), true);
    };
    const auto write_sidecar = [&](const std::string& path) { return WriteSidecar(path, sidecar); };
    return WriteEdited(Original().file, edits_, options_.output, diagnostics_,
                       {.accept = verify,
                        .write_others = write_sidecar,
                        .completes = {&data, &sidecar},
                        .most_permissions = PermissionsOf(options_.model)});
  }

  const Graph& graph() const override { return model_->graph; }

  std::vector<TensorSize> Sizes() const override { return TensorSizes(*model_, options_); }

  std::optional<RoundingStatistics> Rounding(ValueId value) override {
    return ParameterRounding(*model_, value, settings_.target(), options_.RaisesSmall(), *data_);
  }

  std::string Advice(const std::vector<NodeLabel>& labels) override {
    return OpsetAdvice(graph(), typing_, labels, settings_.target(), *signatures_) +
           QuantisedAdvice(graph(), labels) + MeasuredText(graph(), inputs_);
  }

  std::vector<NextStep> Steps() override {
    std::map<std::string, std::size_t> operators;
    std::size_t count = 0;
    std::int64_t opset = Opset();
    for (const NodeChain& chain : ReplaceableChains()) {
      ++operators[chain.op];
      ++count;
      opset = std::max(opset, chain.opset);
    }
    if (count == 0) return {};
    std::string text = Counted(count, "chain") + " of nodes could be replaced by one node each:";
    for (const auto& [op, times] : operators) {
      text += " " + op + " (" + std::to_string(times) + ")";
    }
    const std::string raise = opset == Opset() ? "" : " --opset " + std::to_string(opset);
    return {{text + ", with fewer casts.", ConvertCommand(options_.model, "--fuse" + raise)}};
  }

  std::string OpenInput() const override {
    for (const ValueId input : graph().scopes.front().inputs) {
      const Value& value = graph().values[input];
      const std::string dimensions = DeclaredDimensions(*model_, input);
      const bool open = dimensions.find_first_not_of("0123456789,") != std::string::npos;
      if (open && value.tensor == kNone) return std::string(value.name) + "=" + dimensions;
    }
    return {};
  }

 private:
  bool ReadInputRanges() {
    auto inputs = GivenRanges(graph(), options_, diagnostics_);
    if (inputs) inputs_ = std::move(*inputs);
    return inputs.has_value();
  }

  const OnnxModel& Original() const { return original_ ? *original_ : *model_; }

  bool IsBesideModel() const {
    const auto folder = [](const std::string& path) {
      const fs::path parent = fs::path(path).parent_path();
      return parent.empty() ? fs::path(".") : parent;
    };
    std::error_code error;
    return fs::equivalent(folder(options_.model), folder(options_.output), error);
  }

  std::int64_t Opset() const { return graph().OpsetIn(0); }

  std::vector<NodeChain> ReplaceableChains() const {
    std::vector<NodeChain> chains = FindChains(*model_);
    std::erase_if(chains, [](const NodeChain& chain) { return !chain.replaceable; });
    return chains;
  }

  std::int64_t OpsetOf(const NodeChain& chain) const {
    return graph().OpsetIn(graph().nodes[chain.nodes.back()].scope);
  }

  // Raises the opset to the first of `opsets` that no node prevents, and adds a note about the
  // others. Returns whether it was raised, or nullopt, with an error, if the table of steps cannot
  // be read.
  std::optional<bool> RaiseToFirst(const std::vector<std::int64_t>& opsets, bool if_better,
                                   Preparation& done) {
    const auto steps = OpsetSteps::Load(diagnostics_);
    if (!steps) return std::nullopt;
    const std::int64_t before = Opset();
    for (const std::int64_t opset : opsets) {
      if (opset > steps->newest()) continue;
      const std::string obstacle = TryOpset(*steps, opset, if_better, done);
      if (obstacle.empty()) {
        WarnOfKernels(before);
        return true;
      }
      done.opset_notes.push_back("not raised to " + std::to_string(opset) + ": " + obstacle);
    }
    return false;
  }

  // Raises the opset to the newest one that a chain's operator needs, or to an older one if a node
  // prevents that. Returns whether it was raised.
  bool RaiseForChains(const std::vector<NodeChain>& chains, Preparation& done) {
    std::set<std::int64_t, std::greater<>> opsets;
    for (const NodeChain& chain : chains) {
      if (OpsetOf(chain) < chain.opset) opsets.insert(chain.opset);
    }
    return !opsets.empty() &&
           RaiseToFirst({opsets.begin(), opsets.end()}, false, done).value_or(false);
  }

  // --opset N: reports an error if a node prevents it.
  bool RaiseTo(std::int64_t opset, Preparation& done) {
    const auto steps = OpsetSteps::Load(diagnostics_);
    if (!steps) return false;
    const auto fail = [&](const std::string& why, const std::string& hint) {
      return diagnostics_.Error(
          {.path = options_.model},
          "its opset " + std::to_string(Opset()) + " cannot become " + std::to_string(opset) + why,
          hint);
    };
    if (opset < Opset()) return fail(": it can only be raised", "give --opset keep");
    if (opset > steps->newest()) {
      return fail("", "give at most " + std::to_string(steps->newest()));
    }
    if (opset == Opset()) return true;
    const std::string obstacle = TryOpset(*steps, opset, false, done);
    if (obstacle.empty()) return true;
    return fail(": " + obstacle, "--opset keep converts the model as it is");
  }

  // Raises the model to `opset`; with `if_better`, only if that lets more nodes be low. Returns the
  // obstacle, or an empty string on success.
  std::string TryOpset(const OpsetSteps& steps, std::int64_t opset, bool if_better,
                       Preparation& done) {
    std::string obstacle;
    auto next = BringToOpset(*model_, steps, opset, settings_, if_better ? &*labels_ : nullptr,
                             *signatures_, obstacle);
    if (!next) return obstacle;
    if (!done.opset) done.opset_before = Opset();
    done.opset = opset;
    Adopt(std::move(next->model), std::move(next->edits));
    typing_ = std::move(next->typing);
    labels_ = std::move(next->labels);
    return {};
  }

  // Warns about operators that the profiled runtime supported before the opset was raised but not
  // after.
  void WarnOfKernels(std::int64_t before) {
    const KernelProfile* profile = settings_.label_options().profile;
    if (profile == nullptr) return;
    std::set<std::string> lost;
    for (std::size_t id = 0; id < graph().nodes.size(); ++id) {
      const Signature* now = typing_.signatures[id];
      const Node& node = graph().nodes[id];
      if (now == nullptr || !node.domain.empty()) continue;
      const Signature* was = signatures_->Find("", node.op, before);
      const std::string op(node.op);
      if (was != nullptr && profile->Has(op, was->since, Dtype::kFloat32) &&
          !profile->Has(op, now->since, Dtype::kFloat32)) {
        lost.insert(op + " " + std::to_string(now->since));
      }
    }
    for (const std::string& op : lost) {
      diagnostics_.Warning({.path = options_.model},
                           profile->runtime() + " has no kernel for " + op +
                               ", which the raised opset " + std::to_string(Opset()) + " takes",
                           "--opset keep leaves the opset as it is");
    }
  }

  // Expresses edits of the current model as edits of the original.
  EditList OfOriginal(EditList edits) {
    if (!original_) return edits;
    return ComposeEdits(original_->file.bytes().size(), preparations_, edits);
  }

  // Applies these edits to the model.
  bool Prepare(EditList edits) {
    const SourceFile& file = model_->file;
    auto next = ReadOnnx(
        SourceFile::FromText(file.path(), EditedText(file, edits), file.data_root()), diagnostics_);
    if (!next) return false;
    Adopt(std::move(*next), std::move(edits));
    return CheckProblems("this is a bug in opledger: please report it");
  }

  // Replaces the model by `next`, which these edits produced.
  void Adopt(OnnxModel next, EditList edits) {
    preparations_ = OfOriginal(std::move(edits));
    OnnxModel before = std::exchange(*model_, std::move(next));
    if (!original_) original_ = std::move(before);
  }

  // A graph inside a node is sorted after the graph that contains it.
  bool Sort() {
    sorted_ = !model_->unsorted.empty();
    while (!model_->unsorted.empty()) {
      if (!Prepare(SortNodes(*model_))) return false;
    }
    return true;
  }

  bool CheckProblems(const char* hint) {
    for (std::size_t i = 0; i < model_->problems.size() && i < kMaxProblems; ++i) {
      diagnostics_.Error({.path = model_->file.path()}, model_->problems[i], hint);
    }
    return model_->problems.empty();
  }

  // Checks that every node is valid ONNX and that the types fit. Reports problems as errors.
  bool IsValid(const OnnxModel& model, const Typing& typing, const std::string& what) {
    const std::vector<TypeProblem> problems = FindProblems(model, typing);
    for (std::size_t i = 0; i < problems.size() && i < kMaxProblems; ++i) {
      diagnostics_.Error({.path = model.file.path()}, what + ProblemText(model, problems[i]));
    }
    return problems.empty();
  }

  std::string DataLocation(std::uint64_t digest) const {
    constexpr std::size_t kLongestStem = 255 - 17;  // bytes; the digest follows
    std::string stem = fs::path(options_.output).filename().string() + ".data";
    // Do not cut within a UTF-8 character.
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    std::size_t size = std::min(stem.size(), kLongestStem);
    while (size > 0 && size < stem.size() && continues(stem[size])) --size;
    stem.resize(size);
    return OnnxDataFile::Location(stem, digest);
  }

  // Computes the edits. `digest` is the digest of the new external data, or 0 if it is not known
  // yet.
  void EditWithData(std::uint64_t digest) {
    data_file_.emplace(*model_, *data_, settings_.target(), plan_->raises_small,
                       DataLocation(digest));
    edits_ = OfOriginal(OnnxEdits(*model_, *plan_, settings_.target(), *data_, *data_file_));
  }

  // Writes the sidecar. `written`: the current path of the converted model. The sidecar is kept
  // only if the model is.
  bool WriteSidecar(const std::string& written, UnfinishedFile& file) {
    if (options_.sidecar.empty()) return true;
    const OnnxSidecarInput sidecar = {Original(), *model_,         edits_,  *data_file_,
                                      external_,  options_.output, written, settings_.target()};
    return WriteOnnxSidecar(
        sidecar, options_.sidecar,
        {.unfinished = &file, .most_permissions = PermissionsOf(options_.model)}, diagnostics_);
  }

  bool WriteData(UnfinishedFile& data) {
    const fs::path folder = fs::path(options_.output).parent_path();
    const std::string unnamed = (folder / data_file_->location()).string();
    std::uint64_t digest = 0;
    const FilesInUse in_use = {{}, ExternalFiles(graph(), options_.model), {}};
    if (!CheckOutputFiles(in_use, {{"-o", unnamed}}, diagnostics_)) return false;
    const auto name = [&]() -> std::string {
      const std::string location = DataLocation(digest);
      return CheckOtherOutputs((folder / location).string()) ? location : "";
    };
    if (!data_file_->Check(diagnostics_) ||
        !data_file_->Write(unnamed, digest,
                           {.name = name,
                            .unfinished = &data,
                            .most_permissions = PermissionsOf(options_.output, options_.model)},
                           diagnostics_)) {
      return false;
    }
    EditWithData(digest);
    return true;
  }

  // Checks that no other output is the new data file.
  bool CheckOtherOutputs(const std::string& data) {
    std::vector<OutputFile> outputs = {{"--sidecar", options_.sidecar}};
    for (const std::string& report : options_.reports) outputs.push_back({"--report", report});
    return CheckOutputFiles({{}, {}, {data}}, outputs, diagnostics_);
  }

  // Copies the data of an unchanged model under the names that the model gives it.
  bool CopyExternal() {
    const fs::path from = fs::path(options_.model).parent_path();
    const fs::path to = fs::path(options_.output).parent_path();
    std::error_code error;
    if (fs::equivalent(from.empty() ? "." : from, to.empty() ? "." : to, error)) return true;
    for (const std::string& name : external_) {
      auto file = SourceFile::OpenBelow(from.empty() ? "." : from.string(), name, "the model",
                                        diagnostics_, options_.data_root);
      if (!file) return false;
      const std::string path = (to / name).string();
      if (fs::exists(path, error)) {
        const auto there = SourceFile::Open(path, diagnostics_);
        if (!there) return false;
        if (there->bytes() == file->bytes()) continue;
        return diagnostics_.Error({.path = path},
                                  "another file has the name of the model's external data",
                                  "write into another folder");
      }
      fs::create_directories((to / name).parent_path(), error);
      EditList none;
      if (!WriteEdited(*file, none, path, diagnostics_)) return false;
    }
    return true;
  }

  // Reads back and checks what was written, with its data if `data` is set, so that no invalid
  // model is written.
  bool VerifyFile(SourceFile file, bool data) {
    auto model = ReadOnnx(std::move(file), diagnostics_);
    if (!model) return false;
    for (const std::string& problem : model->problems) {
      diagnostics_.Error({.path = options_.output}, kOwnBug + problem);
    }
    if (!model->unsorted.empty()) {
      diagnostics_.Error({.path = options_.output}, kOwnBug + "its nodes are not in order");
    }
    const Typing typing = InferTypes(model->graph, *signatures_);
    if (data && !external_.empty()) {
      TensorData tensors(*model);
      for (TensorId id = 0; id < static_cast<TensorId>(model->graph.tensors.size()); ++id) {
        const bool external = model->graph.tensors[id].storage == Tensor::Storage::kExternal;
        if (external && !tensors.External(id, diagnostics_)) return false;
      }
    }
    return IsValid(*model, typing, kOwnBug) && !diagnostics_.has_errors();
  }

  const Settings& settings_;
  const ConvertOptions& options_;
  Diagnostics& diagnostics_;
  std::optional<Signatures> signatures_;
  std::optional<OnnxModel> model_;     // the model being converted
  std::optional<OnnxModel> original_;  // nullopt: the model is unchanged
  EditList preparations_;              // edits of the original
  bool sorted_ = false;                // the nodes were not in order
  std::string why_not_raised_;         // the obstacle to the last opset that was tried
  Typing typing_;
  InputRanges inputs_;
  std::optional<std::vector<NodeLabel>> labels_;  // computed on first use
  std::optional<TensorData> data_;
  CastCosts costs_;
  const Plan* plan_ = nullptr;
  std::set<std::string> external_;  // external data files that the model names
  std::optional<OnnxDataFile> data_file_;
  EditList edits_;  // edits of the original
};

}  // namespace

std::unique_ptr<ModelConversion> ConvertOnnx(const Settings& settings, Diagnostics& diagnostics) {
  return std::make_unique<OnnxConversion>(settings, diagnostics);
}

std::optional<ModelSummary> SummariseOnnx(SourceFile file, const SummaryOptions& options,
                                          Diagnostics& diagnostics) {
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
  if (options.nodes) {
    summary.each = SummariseNodes(model->graph, typing, OnnxFacts(*model, nullptr, {}));
  }
  return summary;
}

}  // namespace opledger
