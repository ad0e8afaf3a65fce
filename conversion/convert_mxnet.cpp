// Reads, labels, places, edits, verifies and writes.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/convert_mxnet.h"

#include <algorithm>
#include <optional>

#include "conversion/edit/mxnet_edits.h"
#include "conversion/edit/mxnet_output.h"
#include "conversion/model/files/compose_edits.h"
#include "conversion/model/mxnet/mxnet.h"
#include "conversion/model/mxnet/mxnet_operators.h"
#include "conversion/pins/option_pins.h"
#include "conversion/pins/weights.h"
#include "conversion/place/place_mxnet.h"
#include "conversion/place/storage_plan.h"
#include "conversion/prepare/duplicate_nodes_mxnet.h"
#include "conversion/report/explanation.h"
#include "conversion/revert/mxnet_sidecar.h"

namespace opledger {
namespace {

// The first versions that have amp_cast, and that have it for bfloat16.
constexpr std::int64_t kFirstCasts = 10500;
constexpr std::int64_t kFirstBfloat16 = 10700;

std::string VersionText(std::int64_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

class MxnetConversion {
 public:
  MxnetConversion(const Settings& settings, std::string& text, Diagnostics& diagnostics)
      : settings_(settings), options_(settings.options()), text_(text), diagnostics_(diagnostics) {}

  bool Run(SourceFile file) {
    if (!ReadModel(std::move(file))) return false;
    labels_ = LabelMxnet(*symbol_, typing_, settings_.label_options());
    if (!CheckUnlisted(settings_, symbol_->graph, labels_, diagnostics_)) return false;
    if (!options_.storage_only) PlanTypes();
    if (options_.storage_only && !PlanStorage()) return false;
    edits_ = EditMxnet(*symbol_, params_ ? &*params_ : nullptr, plan_, settings_.target());
    WarnOfVersion();
    Summarise();
    Explanation explanation;
    if (!Explain(explanation)) return false;
    if (!options_.dry_run && !Write()) return false;
    return explanation.Write(options_, diagnostics_);
  }

 private:
  bool ReadModel(SourceFile file) {
    symbol_ = ReadMxnetSymbol(std::move(file), diagnostics_);
    operators_ = LoadMxnetOperators(diagnostics_);
    if (!symbol_ || !operators_) return false;
    if (!options_.params.empty()) {
      auto params = SourceFile::Open(options_.params, diagnostics_);
      if (!params) return false;
      params_ = ReadMxnetParams(std::move(*params), diagnostics_);
      if (!params_) return false;
    }
    return TypeModel() && (!options_.merge_duplicates || MergeDuplicates());
  }

  bool TypeModel() {
    return Type(*symbol_, params_ ? &*params_ : nullptr, typing_,
                "the model is invalid as it is: ");
  }

  // The symbol becomes one without them.
  bool MergeDuplicates() {
    const DuplicateNodes found = FindMxnetDuplicates(*symbol_, typing_);
    done_.merged_nodes = found.merged;
    done_.removed_casts = found.casts;
    if (!found.Changes()) return true;
    merges_ = RemoveDuplicates(*symbol_, found);
    original_ = std::move(symbol_);
    const SourceFile& file = original_->file;
    symbol_ =
        ReadMxnetSymbol(SourceFile::FromText(file.path(), EditedText(file, merges_)), diagnostics_);
    return symbol_ && TypeModel();
  }

  // Gives a symbol its parameters and types; what does not fit is an error.
  bool Type(MxnetSymbol& symbol, const MxnetParams* params, Typing& typing, const char* what) {
    symbol.graph.casts_are_fixed = true;
    const bool offline = options_.cast_params_offline;
    if (params != nullptr && !AttachParameters(*params, offline, symbol, diagnostics_))
      return false;
    if (!DeclareTypes(options_.input_dtypes, "--input-dtype", symbol, diagnostics_) ||
        !DeclareTypes(options_.param_dtypes, "--param-dtype", symbol, diagnostics_)) {
      return false;
    }
    NameMxnetOperators(symbol.graph, *operators_);
    typing = TypeMxnet(symbol, *operators_);
    for (const TypeProblem& problem : typing.problems) {
      diagnostics_.Error({.path = symbol.file.path()},
                         what + NodeText(symbol.graph, problem.node) + ": " + problem.message);
    }
    return typing.problems.empty();
  }

  void PlanTypes() {
    plan_ = PlaceMxnet(*symbol_, params_ ? &*params_ : nullptr, typing_, settings_, labels_);
  }

  bool PlanStorage() {
    if (!CheckStorageOptions(options_, diagnostics_)) return false;
    if (!params_ || !options_.cast_params_offline) {
      diagnostics_.Error({.path = options_.model}, "--storage-only stores parameters in 16 bits",
                         params_ ? "leave out --cast-params-at-run-time" : "give them by --params");
      return false;
    }
    LabelForStorage(labels_);
    const auto rounds = [&](ValueId value) {
      const Graph& graph = symbol_->graph;
      // Where a variable has to be found no cast may stand.
      for (const Use& use : graph.values[value].uses) {
        if (AttributeOfAnInput(graph.nodes[use.node]) != nullptr) return false;
      }
      const auto numbers = ParameterRounding(*params_, graph, value, settings_.target());
      return numbers && numbers->overflowing == 0;
    };
    plan_ = MakeStoragePlan(symbol_->graph, labels_, options_, rounds);
    return true;
  }

  void WarnOfVersion() {
    const bool bfloat16 = settings_.target() == Dtype::kBfloat16;
    const std::int64_t first = bfloat16 ? kFirstBfloat16 : kFirstCasts;
    if (!plan_.Changes() || symbol_->version >= first) return;
    diagnostics_.Warning({.path = options_.model},
                         "MXNet " + VersionText(symbol_->version) +
                             " wrote this file, which knows no amp_cast" +
                             (bfloat16 ? " to bfloat16" : ""),
                         "load the converted model with MXNet " + VersionText(first) + " or newer");
  }

  void Summarise() {
    if (options_.storage_only) {
      text_ = options_.model + ": " + std::to_string(plan_.casts) +
              (plan_.casts == 1 ? " parameter" : " parameters") + " stored in " +
              options_.target_dtype + ", computed in float32\n" + done_.Text();
      return;
    }
    const auto low = std::count(plan_.low.begin(), plan_.low.end(), true);
    text_ = options_.model + ": " + std::to_string(low) + " of " +
            std::to_string(symbol_->graph.nodes.size()) + " nodes in " + options_.target_dtype +
            ", " + std::to_string(plan_.casts) + (plan_.casts == 1 ? " cast" : " casts");
    if (params_) {
      text_ += ", " + std::to_string(edits_.converted + edits_.copied) + " of " +
               std::to_string(params_->arrays.size()) + " arrays converted";
      if (edits_.copied > 0)
        text_ += " (" + std::to_string(edits_.copied) + " kept in float32 too)";
    } else {
      text_ += "; without --params every variable is taken for an input";
    }
    text_ += '\n' + done_.Text();
  }

  bool Explain(Explanation& explanation) {
    std::vector<std::optional<std::uint64_t>> elements(symbol_->graph.values.size());
    for (std::size_t id = 0; id < elements.size(); ++id) {
      const TensorId tensor = symbol_->graph.values[id].tensor;
      if (tensor != kNone) elements[id] = symbol_->graph.tensors[tensor].elements;
    }
    const ReportInput input = {options_.model, "mxnet",           &symbol_->graph, &labels_,
                               &plan_,         &settings_.list(), &elements,       &done_};
    const auto statistics = [&](ValueId value) -> std::optional<RoundingStatistics> {
      if (!params_) return std::nullopt;
      return ParameterRounding(*params_, symbol_->graph, value, settings_.target());
    };
    return explanation.Make(input, options_, statistics, text_, diagnostics_);
  }

  // What is written is read and typed again: never an invalid model.
  bool Write() {
    if (original_) {
      edits_.symbol = ComposeEdits(original_->file.bytes().size(), merges_, edits_.symbol);
    }
    const MxnetOutput output = {options_.output, original_ ? *original_ : *symbol_, edits_.symbol,
                                params_ ? &*params_ : nullptr, edits_.params};
    const auto verify = [&](MxnetSymbol& symbol, const MxnetParams* params) {
      Typing typing;
      return Type(symbol, params, typing, "a bug of opledger, nothing was written: ");
    };
    return WriteMxnet(output, verify, diagnostics_) &&
           (options_.sidecar.empty() ||
            WriteMxnetSidecar(output, settings_.target(), options_.sidecar, diagnostics_));
  }

  const Settings& settings_;
  const ConvertOptions& options_;
  std::string& text_;
  Diagnostics& diagnostics_;
  std::optional<MxnetOperators> operators_;
  std::optional<MxnetSymbol> symbol_;
  std::optional<MxnetParams> params_;
  Typing typing_;
  Preparation done_;
  std::optional<MxnetSymbol> original_;  // none: the symbol is as its file
  EditList merges_;                      // of the original
  std::vector<NodeLabel> labels_;
  Plan plan_;
  MxnetEdits edits_;
};

}  // namespace

bool ConvertMxnet(SourceFile file, const ConvertOptions& options, std::string& text,
                  Diagnostics& diagnostics) {
  Settings settings(options);
  if (!settings.Read("mxnet", diagnostics)) return false;
  return MxnetConversion(settings, text, diagnostics).Run(std::move(file));
}

}  // namespace opledger
