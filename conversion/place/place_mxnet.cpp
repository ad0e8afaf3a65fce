// The weights can pin a node, then the options do.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/place_mxnet.h"

#include <algorithm>

#include "conversion/hazards/model_hazards.h"
#include "conversion/hazards/option_pins.h"

namespace opledger {
namespace {

// "weight_lr_mult": src/nnvm/legacy_json_util.cc of MXNet has these keys.
bool IsOfAnInput(std::string_view name) {
  if (name.starts_with("__")) return false;
  for (const char* key : {"_ctx_group", "_lr_mult", "_wd_mult", "_force_mirroring", "_mirror_stage",
                          "_profiler_scope"}) {
    if (name.ends_with(key)) return true;
  }
  return false;
}

// A cast copy would receive what a node writes to its input.
void KeepWhatIsWritten(const MxnetSymbol& symbol, std::vector<NodeLabel>& labels) {
  for (const MxnetScope& scope : symbol.scopes) {
    for (const MxnetEntry& entry : scope.entries) {
      for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
        if (!entry.inputs[i].writes) continue;
        NodeLabel& label = labels[entry.node];
        if (i >= label.lowered.inputs.size() || !label.lowered.inputs[i]) continue;
        if (label.label == Label::kFixed || label.label == Label::kFp32) continue;
        label.label = Label::kFp32;
        label.rule = "signature";
        label.reason = "it writes to its input " + std::to_string(i);
      }
    }
  }
}

void KeepOldAttributes(const Graph& graph, std::vector<NodeLabel>& labels) {
  for (NodeId id = 0; id < static_cast<NodeId>(labels.size()); ++id) {
    const Node& node = graph.nodes[id];
    const Attribute* old = AttributeOfAnInput(node);
    if (old == nullptr) continue;
    NodeLabel& label = labels[id];
    for (std::size_t i = 0; i < label.lowered.inputs.size(); ++i) {
      const Value& value = graph.values[node.inputs[i]];
      if (!label.lowered.inputs[i] || value.producer != kNone || !value.is_input) continue;
      if (label.label == Label::kFixed || label.label == Label::kFp32) continue;
      label.label = Label::kFp32;
      label.rule = "signature";
      label.reason =
          "its attribute '" + std::string(old->name) + "' requires a variable there, not a cast";
    }
  }
}

// With --io-types low: inputs that hold positions, or are written to, are not of that kind.
void KeepPositions(MxnetSymbol& symbol, const Typing& typing) {
  Graph& graph = symbol.graph;
  std::erase_if(graph.scopes.front().inputs, [&](ValueId id) {
    const auto& uses = graph.values[id].uses;
    return symbol.auxiliary[id] || std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
             const Signature* signature = typing.signatures[use.node];
             if (signature == nullptr) return true;
             const Parameter* parameter =
                 Signature::At(signature->inputs, static_cast<std::size_t>(use.input));
             return parameter == nullptr || parameter->keep;
           });
  });
}

}  // namespace

const Attribute* AttributeOfAnInput(const Node& node) {
  const auto old = std::find_if(node.attributes.begin(), node.attributes.end(),
                                [](const Attribute& each) { return IsOfAnInput(each.name); });
  return old == node.attributes.end() ? nullptr : &*old;
}

std::vector<NodeLabel> LabelMxnet(const MxnetSymbol& symbol, const Typing& typing,
                                  const LabelOptions& options) {
  std::vector<NodeLabel> labels = LabelNodes(symbol.graph, typing, options);
  KeepWhatIsWritten(symbol, labels);
  KeepOldAttributes(symbol.graph, labels);
  return labels;
}

std::optional<Plan> PlaceMxnet(MxnetSymbol& symbol, const MxnetParams* params, const Typing& typing,
                               const Settings& settings, std::vector<NodeLabel>& labels,
                               Diagnostics& diagnostics) {
  if (!RaiseModelHazards(params, symbol.graph, settings.target(), settings.options(), labels,
                         diagnostics)) {
    return std::nullopt;
  }
  PinByOptions(symbol.graph, settings.options(), labels);
  KeepPositions(symbol, typing);
  PlanOptions plan_options;
  plan_options.low_outputs = settings.options().io_types == "low";
  plan_options.keep_io = {settings.options().keep_io.begin(), settings.options().keep_io.end()};
  return MakePlan(symbol.graph, labels, plan_options);
}

}  // namespace opledger
