// Finds entries to remove and what their readers read instead, then computes the edits.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <unordered_map>

#include "conversion/edit/edit.h"
#include "conversion/edit/mxnet_edits.h"
#include "conversion/edit/mxnet_output.h"
#include "conversion/model/mxnet/mxnet.h"
#include "conversion/model/mxnet/mxnet_operators.h"
#include "conversion/model/mxnet/mxnet_params_edits.h"
#include "conversion/model/mxnet/mxnet_symbol_edits.h"
#include "conversion/revert/revert.h"

namespace opledger {
namespace {

bool IsHalf(const std::optional<Dtype>& dtype) {
  return dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16;
}

bool IsHalfName(std::string_view text) { return text == "float16" || text == "bfloat16"; }

// An output of an entry, as MXNet's references name it.
struct Output {
  int entry = 0;
  int output = 0;
};

class MxnetUpcaster {
 public:
  MxnetUpcaster(const MxnetSymbol& symbol, const MxnetParams* params, const UpcastOptions& options,
                Diagnostics& diagnostics)
      : symbol_(symbol),
        graph_(symbol.graph),
        params_(params),
        options_(options),
        diagnostics_(diagnostics),
        names_(symbol, params),
        edits_(symbol) {
    if (params != nullptr) params_edits_.emplace(*params);
    const std::vector<MxnetEntry>& entries = symbol.scopes.front().entries;
    for (int i = 0; i < static_cast<int>(entries.size()); ++i) {
      const Value& value = graph_.values[entries[i].first_value];
      if (entries[i].node != kNone || !graph_.IsFloat32(entries[i].first_value)) continue;
      if (value.tensor != kNone) parameters_.emplace(value.name, i);
      // Gluon writes a variable's type together with its shape. Without a shape, either all
      // variables state their type, or only those that a conversion made low.
      const JsonValue* attributes = MxnetAttributes(*entries[i].json);
      types_are_written_ = types_are_written_ ||
                           (attributes != nullptr && attributes->Find("__dtype__") != nullptr &&
                            attributes->Find("__shape__") == nullptr);
    }
  }

  bool Edit() {
    if (options_.only_ours && !OnlyOurs()) return false;
    for (ScopeId scope = 0; scope < static_cast<ScopeId>(symbol_.scopes.size()); ++scope) {
      FindRemoved(scope);
      EditEntries(scope);
      EditReaders(scope);
    }
    if (params_ != nullptr) EditArrays(*params_, *params_edits_);
    return true;
  }

  EditList FinishSymbol() { return edits_.Finish(); }
  EditList FinishParams() { return params_edits_ ? params_edits_->Finish() : EditList(); }
  std::size_t removed() const { return casts_; }
  std::size_t upcast() const { return upcast_; }

 private:
  ValueId ValueAt(ScopeId scope, int entry, int output) const {
    return symbol_.scopes[scope].entries[entry].first_value + output;
  }

  bool IsLow(ValueId id) const {
    const ValueType& type = graph_.values[id].type;
    return type.kind == ValueType::Kind::kTensor && IsHalf(type.dtype);
  }

  // Returns whether the value is float32 in the result.
  bool IsFloat(ValueId id) const { return IsLow(id) || graph_.IsFloat32(id); }

  bool NotOurs(const std::string& what) {
    const bool alone = params_ == nullptr;
    return diagnostics_.Error(
        {.path = symbol_.file.path()}, what + ", which may be the original's own",
        std::string(alone ? "give its --params, if it has any; or " : "") +
            "revert with the sidecar of the conversion, or use `opledger convert "
            "--target-dtype float32`, which makes everything float32");
  }

  // Returns the parameter that opledger copied to make this variable, or kNone.
  int CopiedFrom(ScopeId scope, int entry) const {
    const MxnetEntry& copy = symbol_.scopes[scope].entries[entry];
    const Value& value = graph_.values[copy.first_value];
    if (scope != 0 || copy.node != kNone || value.tensor == kNone || !IsLow(copy.first_value)) {
      return kNone;
    }
    const std::size_t end = value.name.rfind("__");
    if (end == std::string_view::npos || end == 0) return kNone;
    const auto base = parameters_.find(value.name.substr(0, end));
    const bool found = base != parameters_.end() &&
                       IsMadeOf(value.name, base->first, *value.type.dtype) &&
                       HoldsCopy(value, graph_.values[ValueAt(0, base->second, 0)]);
    return found ? base->second : kNone;
  }

  // Returns whether the elements of a 16-bit parameter are those of the other one, rounded.
  bool HoldsCopy(const Value& copy, const Value& base) const {
    const auto low = static_cast<std::size_t>(copy.tensor);
    const auto high = static_cast<std::size_t>(base.tensor);
    const auto bytes = [&](std::size_t array) {
      std::string all;
      ForEachPiece(*params_, array, [&](std::string_view piece) {
        all += piece;
        return true;
      });
      return all;
    };
    return params_->IsDense(low) && params_->IsDense(high) &&
           params_->arrays[low].dimensions == params_->arrays[high].dimensions &&
           IsRounded(bytes(low), *copy.type.dtype, bytes(high));
  }

  // amp_cast as named by MXNet's amp and by opledger: "x_0_amp_cast_float16".
  bool IsNamedAsOurs(ScopeId scope, const MxnetEntry& entry) const {
    const Node& node = graph_.nodes[entry.node];
    const Attribute* dtype = node.Find("dtype");
    if (node.op != "amp_cast" || entry.inputs.size() != 1 || dtype == nullptr) return false;
    const MxnetEntry& from = symbol_.scopes[scope].entries[entry.inputs[0].entry];
    const std::string stem = from.json->Find("name")->string + "_" +
                             std::to_string(entry.inputs[0].output) + "_amp_cast_" +
                             std::string(dtype->text);
    return IsNumbered(node.name, stem);
  }

  bool OnlyOurs() {
    const Scope& main = graph_.scopes[0];
    for (const auto* values : {&main.inputs, &main.outputs}) {
      for (const ValueId id : *values) {
        if (!IsLow(id)) continue;
        return NotOurs("the model's '" + std::string(graph_.values[id].name) + "' is in 16 bits");
      }
    }
    for (ScopeId scope = 0; scope < static_cast<ScopeId>(symbol_.scopes.size()); ++scope) {
      for (const MxnetEntry& entry : symbol_.scopes[scope].entries) {
        if (entry.node == kNone || IsNamedAsOurs(scope, entry)) continue;
        const Node& node = graph_.nodes[entry.node];
        const bool says = std::any_of(node.attributes.begin(), node.attributes.end(),
                                      [](const Attribute& a) { return IsHalfName(a.text); });
        const bool multicast = node.op == "amp_multicast";
        if (says || multicast) return NotOurs("node '" + std::string(node.name) + "' casts");
      }
    }
    return params_ == nullptr || OnlyOurArrays(*params_);
  }

  // Returns whether every 16-bit array is a parameter.
  bool OnlyOurArrays(const MxnetParams& params) {
    std::vector<bool> attached(params.arrays.size());
    for (const Value& value : graph_.values) {
      if (value.tensor != kNone) attached[value.tensor] = true;
    }
    for (std::size_t i = 0; i < attached.size(); ++i) {
      const MxnetArray& array = params.arrays[i];
      if (!IsHalf(array.dtype) || array.none || attached[i]) continue;
      return NotOurs("the array '" + std::string(array.name) + "' is in 16 bits");
    }
    return true;
  }

  // Returns whether the entry is an input of the model that keeps its 16-bit type.
  bool IsBorderInput(ScopeId scope, const MxnetEntry& entry) const {
    if (!options_.keep_io || scope != 0 || entry.node != kNone || !IsLow(entry.first_value)) {
      return false;
    }
    const std::vector<ValueId>& inputs = graph_.scopes[0].inputs;
    return std::find(inputs.begin(), inputs.end(), entry.first_value) != inputs.end();
  }

  // Finds entries to remove, in file order, so that their inputs have been handled before.
  void FindRemoved(ScopeId scope) {
    const MxnetScope& place = symbol_.scopes[scope];
    std::set<int> controls;  // entries in control_deps stay
    for (const MxnetEntry& entry : place.entries) {
      controls.insert(entry.controls.begin(), entry.controls.end());
    }
    std::set<int> heads;  // heads that stay 16-bit
    for (const MxnetReference& head : place.heads) {
      const bool low = IsLow(ValueAt(scope, head.entry, head.output));
      if (scope == 0 && options_.keep_io && low) heads.insert(head.entry);
    }
    instead_.assign(place.entries.size(), {});
    removed_.assign(place.entries.size(), false);
    kept_.assign(place.entries.size(), false);
    for (int i = 0; i < static_cast<int>(place.entries.size()); ++i) {
      const MxnetEntry& entry = place.entries[i];
      for (int output = 0; output < entry.outputs; ++output) instead_[i].push_back({i, output});
      const int base = CopiedFrom(scope, i);
      const bool cast = entry.node != kNone && IsCastOfFloats(scope, entry) &&
                        (!options_.only_ours || IsNamedAsOurs(scope, entry));
      if (base == kNone && !cast) continue;
      if (cast) kept_[i] = IsOfTheBorder(scope, entry, heads.count(i) > 0);
      const bool twin = kept_[i] && graph_.IsFloat32(entry.first_value);
      if (twin || (!kept_[i] && controls.count(i) > 0)) continue;
      if (base != kNone) instead_[i][0] = {base, 0};
      for (std::size_t k = 0; k < entry.inputs.size(); ++k) {
        const MxnetReference& from = entry.inputs[k];
        instead_[i][k] = instead_[from.entry][from.output];
      }
      removed_[i] = !kept_[i];
      casts_ += cast && removed_[i] ? 1 : 0;
    }
  }

  // Returns whether the entry casts a 16-bit input to float32, or float32 to a 16-bit output.
  bool IsOfTheBorder(ScopeId scope, const MxnetEntry& entry, bool head) const {
    if (entry.inputs.size() != 1) return false;
    const MxnetReference& from = entry.inputs[0];
    const bool high = graph_.IsFloat32(entry.first_value);
    const bool input = high && IsBorderInput(scope, symbol_.scopes[scope].entries[from.entry]);
    return input || (head && graph_.IsFloat32(ValueAt(scope, from.entry, from.output)));
  }

  // Returns whether the entry is an amp_cast or amp_multicast of values that are all float32 in the
  // result.
  bool IsCastOfFloats(ScopeId scope, const MxnetEntry& entry) const {
    const Node& node = graph_.nodes[entry.node];
    if (node.op != "amp_cast" && node.op != "amp_multicast") return false;
    if (static_cast<int>(entry.inputs.size()) != entry.outputs) return false;
    for (int k = 0; k < entry.outputs; ++k) {
      const MxnetReference& from = entry.inputs[k];
      if (!IsFloat(ValueAt(scope, from.entry, from.output)) || !IsFloat(entry.first_value + k)) {
        return false;
      }
    }
    return true;
  }

  void EditEntries(ScopeId scope) {
    const MxnetScope& place = symbol_.scopes[scope];
    for (int i = 0; i < static_cast<int>(place.entries.size()); ++i) {
      const MxnetEntry& entry = place.entries[i];
      if (removed_[i]) {
        edits_.Remove(scope, i);
        continue;
      }
      const bool border = IsBorderInput(scope, entry);
      for (int output = 0; output < entry.outputs && !border; ++output) {
        upcast_ += IsLow(entry.first_value + output) ? 1 : 0;
      }
      if (border) {
        AddTwin(scope, i);
      } else if (entry.node == kNone) {
        EditVariable(scope, i);
      } else {
        EditAttribute(scope, i);
      }
    }
  }

  // Sets the float32 twin of a 16-bit input: an existing cast or a new one.
  void AddTwin(ScopeId scope, int i) {
    const MxnetScope& place = symbol_.scopes[scope];
    for (int k = i + 1; k < static_cast<int>(place.entries.size()); ++k) {
      const MxnetEntry& entry = place.entries[k];
      if (entry.node == kNone || !kept_[k] || entry.inputs[0].entry != i) continue;
      if (!graph_.IsFloat32(entry.first_value)) continue;
      instead_[i][0] = {k, 0};
      return;
    }
    instead_[i][0] = {AddCast(scope, i, 0, "float32"), 0};
  }

  int AddCast(ScopeId scope, int entry, int output, const std::string& dtype) {
    const MxnetEntry& place = symbol_.scopes[scope].entries[entry];
    const std::string suffix =
        names_.Suffix(place, "_" + std::to_string(output) + "_amp_cast_" + dtype);
    return edits_.Add(
        scope, {"amp_cast", names_.Json(place, suffix), "dtype", dtype, entry, output, false});
  }

  void EditVariable(ScopeId scope, int i) {
    const JsonValue& json = *symbol_.scopes[scope].entries[i].json;
    const JsonValue* attributes = MxnetAttributes(json);
    const JsonValue* dtype = attributes == nullptr ? nullptr : attributes->Find("__dtype__");
    if (dtype == nullptr || !IsLow(ValueAt(scope, i, 0))) return;
    const bool ours = scope == 0 && attributes->Find("__shape__") == nullptr && !types_are_written_;
    if (options_.only_ours && ours) {
      edits_.RemoveAttribute(scope, i, "__dtype__");
    } else {
      edits_.SetAttribute(scope, i, "__dtype__", std::to_string(MxnetTypeFlag(Dtype::kFloat32)));
    }
  }

  // Sets `dtype` and similar attributes that name a 16-bit type to float32, except on a cast that
  // stays.
  void EditAttribute(ScopeId scope, int i) {
    const MxnetEntry& entry = symbol_.scopes[scope].entries[i];
    const Node& node = graph_.nodes[entry.node];
    if (kept_[i]) return;
    for (const Attribute& attribute : node.attributes) {
      if (!attribute.name.ends_with("dtype") || !IsHalfName(attribute.text)) continue;
      edits_.SetAttribute(scope, i, std::string(attribute.name), "float32");
      return;
    }
  }

  void EditReaders(ScopeId scope) {
    const MxnetScope& place = symbol_.scopes[scope];
    for (int i = 0; i < static_cast<int>(place.entries.size()); ++i) {
      if (removed_[i]) continue;
      const MxnetEntry& entry = place.entries[i];
      const bool from_border =
          kept_[i] && IsBorderInput(scope, place.entries[entry.inputs[0].entry]);
      for (std::size_t k = 0; k < entry.inputs.size() && !from_border; ++k) {
        const MxnetReference& from = entry.inputs[k];
        const Output to = Settled(from.entry, from.output);
        if (to.entry == from.entry && to.output == from.output) continue;
        edits_.Reroute(scope, i, k, to.entry, to.output);
      }
    }
    for (std::size_t k = 0; k < place.heads.size(); ++k) {
      EditHead(scope, k, place.heads[k]);
    }
  }

  // Returns the replacement of an output, following the twin of an input.
  Output Settled(int entry, int output) const {
    const Output to = instead_[entry][output];
    const bool old = to.entry < static_cast<int>(instead_.size());
    return old && to.entry != entry ? instead_[to.entry][to.output] : to;
  }

  void EditHead(ScopeId scope, std::size_t k, const MxnetReference& head) {
    const ValueId value = ValueAt(scope, head.entry, head.output);
    const bool keeps = scope == 0 && options_.keep_io && IsLow(value);
    const MxnetEntry& entry = symbol_.scopes[scope].entries[head.entry];
    if (keeps && (kept_[head.entry] || IsBorderInput(scope, entry))) return;
    Output to = Settled(head.entry, head.output);
    if (keeps)
      to = {AddCast(scope, to.entry, to.output, DtypeName(*graph_.values[value].type.dtype)), 0};
    if (to.entry != head.entry || to.output != head.output) {
      edits_.RerouteHead(scope, k, to.entry, to.output);
    }
  }

  void EditArrays(const MxnetParams& params, MxnetParamsEdits& edits) const {
    std::vector<bool> copies(params.arrays.size());
    const std::vector<MxnetEntry>& entries = symbol_.scopes[0].entries;
    for (int i = 0; i < static_cast<int>(entries.size()); ++i) {
      const TensorId array = graph_.values[entries[i].first_value].tensor;
      if (array != kNone && CopiedFrom(0, i) != kNone) copies[array] = true;
    }
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (!params.IsDense(i) || !IsHalf(params.arrays[i].dtype)) continue;
      if (copies[i]) {
        edits.Remove(i);
      } else {
        edits.Convert(i, Dtype::kFloat32);
      }
    }
  }

  const MxnetSymbol& symbol_;
  const Graph& graph_;
  const MxnetParams* params_;
  const UpcastOptions& options_;
  Diagnostics& diagnostics_;
  MxnetNames names_;
  MxnetSymbolEdits edits_;
  std::optional<MxnetParamsEdits> params_edits_;
  std::unordered_map<std::string_view, int> parameters_;  // float32 parameters and their entries
  bool types_are_written_ = false;  // variables state types even without a conversion
  // Per entry of the current scope.
  std::vector<std::vector<Output>> instead_;  // per output: what its readers read instead
  std::vector<bool> removed_;
  std::vector<bool> kept_;  // a cast at the model's border
  std::size_t casts_ = 0;
  std::size_t upcast_ = 0;
};

// Sets a symbol's parameters and types; reports an error if they do not fit.
bool TypeForUpcast(MxnetSymbol& symbol, const MxnetParams* params, MxnetOperators& operators,
                   const char* what, Diagnostics& diagnostics) {
  symbol.graph.casts_are_fixed = true;
  if (params != nullptr && !AttachParameters(*params, true, symbol, diagnostics)) return false;
  NameMxnetOperators(symbol.graph, operators);
  for (const TypeProblem& problem : TypeMxnet(symbol, operators).problems) {
    diagnostics.Error({.path = symbol.file.path()},
                      NodeText(symbol.graph, problem.node) + ": " + problem.message, what);
  }
  return !diagnostics.has_errors();
}

}  // namespace

bool UpcastMxnet(SourceFile file, const UpcastOptions& options, std::string& text,
                 Diagnostics& diagnostics) {
  auto symbol = ReadMxnetSymbol(std::move(file), diagnostics);
  auto operators = LoadMxnetOperators(diagnostics);
  if (!symbol || !operators) return false;
  std::optional<MxnetParams> params;
  if (!options.params.empty()) {
    auto params_file = SourceFile::Open(options.params, diagnostics);
    if (!params_file) return false;
    params = ReadMxnetParams(std::move(*params_file), diagnostics);
    if (!params) return false;
  }
  const MxnetParams* given = params ? &*params : nullptr;
  if (!TypeForUpcast(*symbol, given, *operators, "the input model is invalid", diagnostics)) {
    return false;
  }
  MxnetUpcaster upcaster(*symbol, given, options, diagnostics);
  if (!upcaster.Edit()) return false;
  text = Printable(symbol->file.path()) + ": " + std::to_string(upcaster.upcast()) +
         " 16-bit values converted to float32, " + std::to_string(upcaster.removed()) +
         (upcaster.removed() == 1 ? " cast" : " casts") +
         (options.only_ours ? " with opledger's names removed\n" : " removed\n");
  if (options.output.empty()) return true;
  EditList symbol_edits = upcaster.FinishSymbol();
  EditList params_edits = upcaster.FinishParams();
  const auto verify = [&](MxnetSymbol& written, const MxnetParams* with) {
    return TypeForUpcast(written, with, *operators,
                         "nothing was written: the model cannot be converted to float32 as a whole",
                         diagnostics);
  };
  const MxnetOutput output = {options.output, *symbol, symbol_edits, given, params_edits};
  WrittenWithMxnet nothing;
  return WriteMxnet(output, verify, nothing, diagnostics);
}

}  // namespace opledger
