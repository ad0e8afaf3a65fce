// Adds an amp_cast or a variable for each value that needs one, then reroutes the readers.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/edit/mxnet_edits.h"

#include "conversion/model/mxnet/mxnet.h"
#include "conversion/model/mxnet/mxnet_params_edits.h"
#include "conversion/model/mxnet/mxnet_symbol_edits.h"

namespace opledger {
namespace {

constexpr int kNoEntry = -1;

class MxnetEditor {
 public:
  MxnetEditor(const MxnetSymbol& symbol, const MxnetParams* params, const Plan& plan, Dtype target)
      : symbol_(symbol),
        graph_(symbol.graph),
        params_(params),
        plan_(plan),
        target_(target),
        names_(symbol, params),
        symbol_edits_(symbol) {
    if (params != nullptr) params_edits_.emplace(*params, plan.raises_small);
  }

  MxnetEdits Edit() {
    if (!plan_.Changes()) return {};
    low_.assign(graph_.values.size(), kNoEntry);
    high_.assign(graph_.values.size(), kNoEntry);
    for (ScopeId scope = 0; scope < static_cast<ScopeId>(symbol_.scopes.size()); ++scope) {
      const std::vector<MxnetEntry>& entries = symbol_.scopes[scope].entries;
      for (int entry = 0; entry < static_cast<int>(entries.size()); ++entry) {
        for (int i = 0; i < entries[entry].outputs; ++i) EditValue(scope, entry, i);
      }
      EditReaders(scope);
      SetAttributes(scope);
    }
    edits_.symbol = symbol_edits_.Finish();
    if (params_edits_) edits_.params = params_edits_->Finish();
    return std::move(edits_);
  }

 private:
  void EditValue(ScopeId scope, int entry, int output) {
    const MxnetEntry& place = symbol_.scopes[scope].entries[entry];
    const ValueId id = place.first_value + output;
    const ValuePlan& value = plan_.values[id];
    if (!value.float32) return;
    if (value.parameter) return EditParameter(id, entry);
    if (place.node == kNone && value.low) SayType(scope, entry);
    if (value.stored_low) {
      params_edits_->Convert(static_cast<std::size_t>(graph_.values[id].tensor), target_);
      ++edits_.converted;
    }
    if (value.CastDown()) low_[id] = AddCast(scope, entry, output, DtypeName(target_));
    if (value.CastUp()) high_[id] = AddCast(scope, entry, output, "float32");
  }

  int AddCast(ScopeId scope, int entry, int output, const std::string& dtype) {
    const MxnetEntry& place = symbol_.scopes[scope].entries[entry];
    const std::string suffix =
        names_.Suffix(place, "_" + std::to_string(output) + "_amp_cast_" + dtype);
    const std::string name = names_.Json(place, suffix);
    return symbol_edits_.Add(scope, {"amp_cast", name, "dtype", dtype, entry, output, false});
  }

  // Sets a variable's type to the target type. In a subgraph, only if it states a type already.
  void SayType(ScopeId scope, int entry) {
    const JsonValue* attributes = MxnetAttributes(*symbol_.scopes[scope].entries[entry].json);
    const bool says = attributes != nullptr && attributes->Find("__dtype__") != nullptr;
    if (scope != 0 && !says) return;
    symbol_edits_.SetAttribute(scope, entry, "__dtype__", std::to_string(MxnetTypeFlag(target_)));
  }

  void EditParameter(ValueId id, int entry) {
    const ValuePlan& value = plan_.values[id];
    const auto array = static_cast<std::size_t>(graph_.values[id].tensor);
    if (!value.wanted_low) return;
    if (!value.wanted_high) {
      SayType(0, entry);
      params_edits_->Convert(array, target_);
      ++edits_.converted;
      return;
    }
    const MxnetEntry& place = symbol_.scopes[0].entries[entry];
    const std::string suffix = names_.Suffix(place, std::string("__") + DtypeName(target_));
    const std::string name = names_.Json(place, suffix);
    low_[id] = symbol_edits_.Add(
        0, {"null", name, "__dtype__", std::to_string(MxnetTypeFlag(target_)), entry, 0, true});
    params_edits_->AddCopy(array, std::string(params_->arrays[array].name) + suffix, target_);
    ++edits_.copied;
  }

  void SetAttributes(ScopeId scope) {
    const std::vector<MxnetEntry>& entries = symbol_.scopes[scope].entries;
    for (const PlannedAttribute& planned : plan_.attributes) {
      for (std::size_t entry = 0; entry < entries.size(); ++entry) {
        if (entries[entry].node != planned.node) continue;
        symbol_edits_.SetAttribute(scope, static_cast<int>(entry), planned.said.attribute,
                                   DtypeName(planned.said.dtype));
      }
    }
  }

  // Returns the new entry that a reader should read, or kNoEntry to keep the current one.
  int For(ValueId id, Want want) const {
    if (want == Want::kLow) return low_[id];
    return want == Want::kHigh ? high_[id] : kNoEntry;
  }

  void EditReaders(ScopeId scope) {
    const MxnetScope& place = symbol_.scopes[scope];
    for (int entry = 0; entry < static_cast<int>(place.entries.size()); ++entry) {
      const NodeId node = place.entries[entry].node;
      if (node == kNone) continue;
      for (std::size_t i = 0; i < graph_.nodes[node].inputs.size(); ++i) {
        const int to = For(graph_.nodes[node].inputs[i], plan_.inputs[node][i]);
        if (to != kNoEntry) symbol_edits_.Reroute(scope, entry, i, to);
      }
    }
    for (std::size_t i = 0; i < place.heads.size(); ++i) {
      const int to = For(graph_.scopes[scope].outputs[i], plan_.scope_outputs[scope][i]);
      if (to != kNoEntry) symbol_edits_.RerouteHead(scope, i, to);
    }
  }

  const MxnetSymbol& symbol_;
  const Graph& graph_;
  const MxnetParams* params_;
  const Plan& plan_;
  Dtype target_;
  MxnetNames names_;
  MxnetSymbolEdits symbol_edits_;
  std::optional<MxnetParamsEdits> params_edits_;
  MxnetEdits edits_;
  std::vector<int> low_;   // per value: the new entry in the target type
  std::vector<int> high_;  // per value: the new entry in float32
};

}  // namespace

MxnetEdits EditMxnet(const MxnetSymbol& symbol, const MxnetParams* params, const Plan& plan,
                     Dtype target) {
  return MxnetEditor(symbol, params, plan, target).Edit();
}

MxnetNames::MxnetNames(const MxnetSymbol& symbol, const MxnetParams* params) : symbol_(symbol) {
  for (const Value& value : symbol.graph.values) taken_.insert(std::string(value.name));
  for (const Node& node : symbol.graph.nodes) taken_.insert(std::string(node.name));
  if (params == nullptr) return;
  for (const MxnetArray& array : params->arrays) {
    taken_.insert(std::string(MxnetVariableName(array.name)));
  }
}

std::string MxnetNames::Suffix(const MxnetEntry& entry, const std::string& wanted) {
  const std::string& name = entry.json->Find("name")->string;
  std::string suffix = wanted;
  for (int i = 1; !taken_.insert(name + suffix).second; ++i) {
    suffix = wanted + "_" + std::to_string(i);
  }
  return suffix;
}

std::string MxnetNames::Json(const MxnetEntry& entry, const std::string& suffix) const {
  const JsonValue& name = *entry.json->Find("name");
  const std::string& text = symbol_.document->text;
  return text.substr(name.span.begin, name.span.size() - 1) + suffix + '"';
}

}  // namespace opledger
