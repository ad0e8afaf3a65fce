// Collects what the labels and the plan say about each node, cast and parameter.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/report.h"

#include <algorithm>
#include <map>

#include "conversion/label/settings.h"
#include "conversion/model/graph/graph.h"
#include "conversion/report/placement_reason.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

class ReportMaker {
 public:
  explicit ReportMaker(const ReportInput& input)
      : input_(input),
        graph_(*input.graph),
        plan_(*input.plan),
        scopes_(ScopeNames(graph_)),
        reasons_(graph_, *input.labels, plan_, DtypeName(input.list->target_dtype)) {
    for (const auto* entries : {&input.list->entries, &input.list->inherited}) {
      for (const ListEntry& entry : *entries) entries_.emplace(entry.location, &entry);
    }
  }

  ConversionReport Make() {
    report_.model = input_.model;
    report_.format = input_.format;
    report_.steps = input_.steps;
    report_.open_input = input_.open_input;
    report_.target = input_.list->target_dtype;
    report_.raises_small = plan_.raises_small;
    report_.list = PortablePath(input_.list->path);
    if (input_.preparation != nullptr) report_.preparation = *input_.preparation;
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) AddNode(id);
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.values.size()); ++id) {
      if (plan_.values[id].CastDown() || plan_.values[id].CastUp()) AddCast(id);
      if (plan_.values[id].parameter || plan_.values[id].stored_low) AddParameter(id);
    }
    return std::move(report_);
  }

 private:
  void AddNode(NodeId id) {
    const Node& node = graph_.nodes[id];
    const NodeLabel& label = (*input_.labels)[id];
    NodeReport& report = report_.nodes.emplace_back();
    report.node = id;
    report.name = graph_.NameOf(id);
    report.op = QualifiedName(node.domain, node.op);
    report.scope = scopes_[node.scope];
    const bool without_policy =
        label.rule == LabelRule::kUnlisted || label.rule == LabelRule::kUnknown;
    report.label = without_policy ? Label::kFixed : label.label;
    report.precision = PrecisionOf(id);
    report.rule = label.rule;
    report.place = label.place;
    report.place.path = PortablePath(label.place.path);
    report.reason = label.reason.empty() ? RuleName(label.rule) : label.reason;
    if (const auto entry = entries_.find(label.place); entry != entries_.end()) {
      report.entry_reason = entry->second->reason;
      if (!entry->second->note.empty()) {
        report.entry_reason += (report.entry_reason.empty() ? "" : ": ") + entry->second->note;
      }
    }
    if (label.label == Label::kFree || label.label == Label::kWidest) {
      report.extra_casts = reasons_.ExtraCasts(id);
      report.placement = reasons_.Text(id);
    }
    report.alternatives = reasons_.Alternatives(id, report.extra_casts);
  }

  Precision PrecisionOf(NodeId id) const {
    if (plan_.low[id]) return Precision::kLow;
    bool float32 = false;
    for (const ValueId output : graph_.nodes[id].outputs) {
      if (output == kNone) continue;
      const ValuePlan& value = plan_.values[output];
      if (value.parameter) return Precision::kAsWanted;
      float32 = float32 || value.float32;
    }
    for (const ValueId input : graph_.nodes[id].inputs) {
      float32 = float32 || (input != kNone && plan_.values[input].float32);
    }
    return float32 ? Precision::kFloat32 : Precision::kUnchanged;
  }

  void AddCast(ValueId id) {
    const Value& value = graph_.values[id];
    CastReport& cast = report_.casts.emplace_back();
    cast.value = id;
    cast.tensor = std::string(value.name);
    cast.scope = scopes_[value.scope];
    cast.down = plan_.values[id].CastDown();
    cast.producer = value.producer;
    const Want wanted = cast.down ? Want::kLow : Want::kHigh;
    const int index = static_cast<int>(report_.casts.size()) - 1;
    for (const Use& use : value.uses) {
      if (plan_.inputs[use.node][static_cast<std::size_t>(use.input)] != wanted) continue;
      if (!cast.consumers.empty() && cast.consumers.back() == use.node) continue;
      cast.consumers.push_back(use.node);
      report_.nodes[use.node].casts_wanted.push_back(index);
    }
    AddOutputs(id, wanted, cast);
    if (value.producer != kNone) report_.nodes[value.producer].casts_of_outputs.push_back(index);
    const TensorSize& size = (*input_.sizes)[id];
    std::uint64_t bytes = 0;
    if (size.numbers && !__builtin_mul_overflow(*size.numbers, std::uint64_t{6}, &bytes)) {
      cast.bytes = bytes;
      cast.bytes_per = size.per;
    }
    cast.reason = CastReason(cast);
  }

  void AddOutputs(ValueId id, Want wanted, CastReport& cast) const {
    for (std::size_t scope = 0; scope < graph_.scopes.size(); ++scope) {
      for (std::size_t i = 0; i < graph_.scopes[scope].outputs.size(); ++i) {
        const bool reads = graph_.scopes[scope].outputs[i] == id;
        if (!reads || plan_.scope_outputs[scope][i] != wanted) continue;
        const std::string where = scopes_[scope].empty() ? "the model" : scopes_[scope];
        cast.outputs.push_back("output " + std::to_string(i) + " of " + where);
      }
    }
  }

  std::string NodeWords(NodeId id) const {
    return report_.nodes[id].op + " '" + report_.nodes[id].name + "'";
  }

  std::string CastReason(const CastReport& cast) const {
    const std::string low = DtypeName(report_.target);
    const std::string from = cast.down ? "float32" : low;
    const std::string to = cast.down ? low : "float32";
    std::string text = cast.producer == kNone
                           ? "provided in " + from
                           : NodeWords(cast.producer) + " computes it in " + from;
    text += "; wanted in " + to + " by ";
    constexpr std::size_t kNamed = 3;
    std::vector<std::string> names;
    for (const NodeId consumer : cast.consumers) names.push_back(NodeWords(consumer));
    names.insert(names.end(), cast.outputs.begin(), cast.outputs.end());
    for (std::size_t i = 0; i < names.size() && i < kNamed; ++i) {
      text += (i == 0 ? "" : ", ") + names[i];
    }
    if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
    return text;
  }

  void AddParameter(ValueId id) {
    const Value& value = graph_.values[id];
    const ValuePlan& plan = plan_.values[id];
    std::uint64_t elements = 0;
    if (const TensorId tensor = ParameterTensor(graph_, value); tensor != kNone) {
      elements = graph_.tensors[tensor].elements;
    } else if (value.producer != kNone) {
      const Attribute* list = graph_.nodes[value.producer].Find("value_floats");
      const bool one = graph_.nodes[value.producer].Find("value_float") != nullptr;
      elements = list != nullptr ? list->length : one ? 1 : 0;
    }
    if (elements == 0) return;
    const bool both = plan.wanted_low && plan.wanted_high;
    const std::uint64_t before = 4 * elements;
    const bool low = plan.wanted_low || plan.stored_low;
    const std::uint64_t after = both ? 6 * elements : low ? 2 * elements : before;
    report_.parameter_bytes_before += before;
    report_.parameter_bytes_after += after;
    if (!low) return;
    ParameterReport& report = report_.parameters.emplace_back();
    report.value = id;
    report.tensor = std::string(value.name);
    report.scope = scopes_[value.scope];
    report.both = both;
    report.bytes_before = before;
    report.bytes_after = after;
  }

  const ReportInput& input_;
  const Graph& graph_;
  const Plan& plan_;
  std::vector<std::string> scopes_;
  PlacementReasons reasons_;
  std::map<Location, const ListEntry*> entries_;
  ConversionReport report_;
};

}  // namespace

const char* ConversionReport::PrecisionText(Precision precision) const {
  switch (precision) {
    case Precision::kLow:
      return DtypeName(target);
    case Precision::kFloat32:
      return "float32";
    case Precision::kAsWanted:
      return "as wanted";
    case Precision::kUnchanged:
      break;
  }
  return "unchanged";
}

std::size_t ConversionReport::Count(Precision precision) const {
  return static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(),
                    [&](const NodeReport& node) { return node.precision == precision; }));
}

ConversionReport MakeReport(const ReportInput& input) { return ReportMaker(input).Make(); }

}  // namespace opledger
