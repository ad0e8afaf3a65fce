// Converts MXNet models: a symbol, and its parameters if they are given.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/mxnet/mxnet.h"

#include "conversion/edit/mxnet_edits.h"
#include "conversion/edit/mxnet_output.h"
#include "conversion/formats/formats.h"
#include "conversion/hazards/model_hazards.h"
#include "conversion/model/mxnet/mxnet_operators.h"
#include "conversion/place/place_mxnet.h"
#include "conversion/prepare/duplicate_nodes_mxnet.h"
#include "conversion/revert/mxnet_sidecar.h"
#include "conversion/values/input_ranges.h"
#include "conversion/values/parameter_ranges.h"
#include "registry/files/file_attributes.h"

namespace opledger {
namespace {

// The first MXNet version that has amp_cast, and the first that has it for bfloat16.
constexpr std::int64_t kFirstCasts = 10500;
constexpr std::int64_t kFirstBfloat16 = 10700;

std::string VersionText(std::int64_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

class MxnetConversion final : public ModelConversion {
 public:
  MxnetConversion(const Settings& settings, Diagnostics& diagnostics)
      : settings_(settings), options_(settings.options()), diagnostics_(diagnostics) {}

  bool Read(SourceFile file) override {
    symbol_ = ReadMxnetSymbol(std::move(file), diagnostics_);
    operators_ = LoadMxnetOperators(diagnostics_);
    if (!symbol_ || !operators_ || options_.params.empty()) return symbol_ && operators_;
    auto params = SourceFile::Open(options_.params, diagnostics_);
    if (params) params_ = ReadMxnetParams(std::move(*params), diagnostics_);
    return params_.has_value();
  }

  bool InlineFunctions(Preparation&) override {
    return diagnostics_.Error({.path = options_.model},
                              "--inline-functions is for ONNX models only",
                              "leave it out: an MXNet symbol has no functions");
  }

  bool FindTypes() override {
    return Type(*symbol_, params(), typing_, "the input model is invalid: ");
  }

  bool MergeDuplicates(Preparation& done) override {
    const DuplicateNodes found = FindMxnetDuplicates(*symbol_, typing_);
    done.merged_nodes = found.merged;
    done.removed_casts = found.casts;
    if (!found.Changes()) return true;
    merges_ = RemoveDuplicates(*symbol_, found);
    original_ = std::move(symbol_);
    const SourceFile& file = original_->file;
    symbol_ =
        ReadMxnetSymbol(SourceFile::FromText(file.path(), EditedText(file, merges_)), diagnostics_);
    return symbol_ && FindTypes();
  }

  bool RaiseOpset(Preparation&) override {
    if (settings_.options().opset == "auto" || settings_.options().opset == "keep") return true;
    return diagnostics_.Error({.path = settings_.options().model},
                              "--opset is for ONNX models only", "leave it out");
  }

  std::vector<NodeLabel> Label() override {
    return LabelMxnet(*symbol_, params(), typing_, settings_.label_options());
  }

  bool Place(std::vector<NodeLabel>& labels, Plan& plan) override {
    if (!ReadInputRanges()) return false;
    plan = PlaceMxnet(*symbol_, params(), typing_, settings_, inputs_, labels, diagnostics_);
    return true;
  }

  std::optional<std::vector<ValueSummary>> Values(const std::vector<NodeLabel>& labels,
                                                  Diagnostics&) override {
    const KnownNumbers numbers = ReadNumbers(params(), graph(), nullptr, inputs_);
    return SummariseValues(numbers.model, labels, settings_.target(),
                           RaisesSmall(options_, settings_.target()));
  }

  std::string Advice(const std::vector<NodeLabel>&) override {
    return MeasuredText(graph(), inputs_);
  }

  bool CheckStorage() override {
    if (!ReadInputRanges()) return false;
    if (params_ && options_.cast_params_offline) return true;
    return diagnostics_.Error(
        {.path = options_.model}, "--storage-only has no parameters to store in 16 bits",
        params_ ? "leave out --cast-params-at-run-time" : "give them with --params");
  }

  bool CanStoreLow(ValueId value) override {
    // A node that needs a variable as its input cannot read a cast instead.
    for (const Use& use : graph().values[value].uses) {
      if (AttributeOfAnInput(graph().nodes[use.node]) != nullptr) return false;
    }
    const auto statistics = Rounding(value);
    return statistics && RoundsWell(*statistics, IsOfContractions(graph(), value));
  }

  bool CheckCasts() override {
    const bool bfloat16 = settings_.target() == Dtype::kBfloat16;
    const std::int64_t first = bfloat16 ? kFirstBfloat16 : kFirstCasts;
    if (symbol_->version >= first) return true;
    diagnostics_.Warning({.path = options_.model},
                         "MXNet " + VersionText(symbol_->version) +
                             " wrote this file and has no amp_cast" +
                             (bfloat16 ? " to bfloat16" : ""),
                         "load the converted model with MXNet " + VersionText(first) + " or newer");
    return true;
  }

  void Edit(const Plan& plan) override {
    edits_ = EditMxnet(*symbol_, params(), plan, settings_.target());
    if (original_) {
      edits_.symbol = ComposeEdits(original_->file.bytes().size(), merges_, edits_.symbol);
    }
  }

  // Reads back and types what is written, so that no invalid model is written.
  bool Write() override {
    const auto verify = [&](MxnetSymbol& symbol, const MxnetParams* params) {
      Typing typing;
      return Type(symbol, params, typing, "internal error, nothing was written: ", true);
    };
    WrittenWithMxnet sidecar;
    sidecar.write = [&](const std::string& symbol) {
      return options_.sidecar.empty() ||
             WriteMxnetSidecar(
                 Output(), symbol, settings_.target(), options_.sidecar,
                 {.unfinished = &sidecar.file, .most_permissions = PermissionsOf(options_.model)},
                 diagnostics_);
    };
    return WriteMxnet(Output(), verify, sidecar, diagnostics_);
  }

  const Graph& graph() const override { return symbol_->graph; }

  std::vector<TensorSize> Sizes() const override {
    std::vector<TensorSize> sizes(graph().values.size());
    for (std::size_t id = 0; id < sizes.size(); ++id) {
      const TensorId tensor = graph().values[id].tensor;
      if (tensor != kNone) sizes[id].numbers = graph().tensors[tensor].elements;
    }
    return sizes;
  }

  std::optional<RoundingStatistics> Rounding(ValueId value) override {
    if (!params_) return std::nullopt;
    return ParameterRounding(*params_, graph(), value, settings_.target(), options_.RaisesSmall());
  }

  std::string ParameterText() const override {
    if (!params_) return "; without --params every variable counts as an input";
    std::string text = ", " + std::to_string(edits_.converted + edits_.copied) + " of " +
                       std::to_string(params_->arrays.size()) + " arrays converted";
    if (edits_.copied > 0) text += " (" + std::to_string(edits_.copied) + " also kept in float32)";
    return text;
  }

 private:
  bool ReadInputRanges() {
    auto inputs = GivenRanges(graph(), options_, diagnostics_);
    if (inputs) inputs_ = std::move(*inputs);
    return inputs.has_value();
  }

  const MxnetParams* params() const { return params_ ? &*params_ : nullptr; }

  MxnetOutput Output() {
    return {options_.output, original_ ? *original_ : *symbol_, edits_.symbol, params(),
            edits_.params};
  }

  // Returns those of "NAME=DTYPE" whose variable has no type in the symbol.
  static std::vector<std::string> Unsaid(std::vector<std::string> types,
                                         const MxnetSymbol& symbol) {
    std::erase_if(types, [&](const std::string& each) {
      const ValueId value = symbol.graph.Find(0, each.substr(0, each.rfind('=')));
      return value != kNone && symbol.graph.values[value].type.kind != ValueType::Kind::kUnknown;
    });
    return types;
  }

  // Sets a symbol's parameters and types; reports an error if they do not fit. A `converted` symbol
  // states the types of inputs that have changed.
  bool Type(MxnetSymbol& symbol, const MxnetParams* params, Typing& typing, const char* what,
            bool converted = false) {
    symbol.graph.casts_are_fixed = true;
    const bool offline = options_.cast_params_offline;
    if (params != nullptr && !AttachParameters(*params, offline, symbol, diagnostics_))
      return false;
    const auto given = [&](const std::vector<std::string>& types) {
      return converted ? Unsaid(types, symbol) : types;
    };
    if (!DeclareTypes(given(options_.input_dtypes), "--input-dtype", symbol, diagnostics_) ||
        !DeclareTypes(given(options_.param_dtypes), "--param-dtype", symbol, diagnostics_)) {
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

  const Settings& settings_;
  const ConvertOptions& options_;
  Diagnostics& diagnostics_;
  std::optional<MxnetOperators> operators_;
  std::optional<MxnetSymbol> symbol_;
  std::optional<MxnetParams> params_;
  Typing typing_;
  InputRanges inputs_;
  std::optional<MxnetSymbol> original_;  // nullopt: the symbol is unchanged
  EditList merges_;                      // edits of the original
  MxnetEdits edits_;
};

}  // namespace

std::unique_ptr<ModelConversion> ConvertMxnet(const Settings& settings, Diagnostics& diagnostics) {
  return std::make_unique<MxnetConversion>(settings, diagnostics);
}

std::optional<ModelSummary> SummariseMxnet(SourceFile file, const SummaryOptions& options,
                                           Diagnostics& diagnostics) {
  auto symbol = ReadMxnetSymbol(std::move(file), diagnostics);
  if (!symbol) return std::nullopt;
  ModelSummary summary = Summarise(symbol->graph);
  summary.format = "MXNet " + VersionText(symbol->version);
  if (!options.nodes) return summary;
  auto operators = LoadMxnetOperators(diagnostics);
  std::optional<MxnetParams> params;
  if (!options.params.empty()) {
    auto given = SourceFile::Open(options.params, diagnostics);
    if (given) params = ReadMxnetParams(std::move(*given), diagnostics);
    if (!params || !AttachParameters(*params, true, *symbol, diagnostics)) return std::nullopt;
  }
  if (!operators) return std::nullopt;
  NameMxnetOperators(symbol->graph, *operators);
  const Typing typing = TypeMxnet(*symbol, *operators);
  const ConditionFacts facts = MxnetFacts(*symbol, params ? &*params : nullptr);
  summary.each = SummariseNodes(symbol->graph, typing, facts);
  return summary;
}

}  // namespace opledger
