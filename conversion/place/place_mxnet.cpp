// Pins nodes by the weights, then by options.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/place_mxnet.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "conversion/hazards/model_hazards.h"
#include "conversion/model/mxnet/mxnet.h"
#include "conversion/place/place_raised.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

// "weight_lr_mult": keys from src/nnvm/legacy_json_util.cc of MXNet.
bool IsOfAnInput(std::string_view name) {
  if (name.starts_with("__")) return false;
  for (const char* key : {"_ctx_group", "_lr_mult", "_wd_mult", "_force_mirroring", "_mirror_stage",
                          "_profiler_scope"}) {
    if (name.ends_with(key)) return true;
  }
  return false;
}

// Keeps nodes that write to an input in float32, since they would write to the cast copy.
void KeepWhatIsWritten(const MxnetSymbol& symbol, std::vector<NodeLabel>& labels) {
  for (const MxnetScope& scope : symbol.scopes) {
    for (const MxnetEntry& entry : scope.entries) {
      for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
        if (!entry.inputs[i].writes) continue;
        NodeLabel& label = labels[entry.node];
        if (i >= label.lowered.inputs.size() || !label.lowered.inputs[i]) continue;
        if (label.label == Label::kFixed || label.label == Label::kFp32) continue;
        label.label = Label::kFp32;
        label.rule = LabelRule::kSignature;
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
      label.rule = LabelRule::kSignature;
      label.reason =
          "its attribute '" + std::string(old->name) + "' requires a variable there, not a cast";
    }
  }
}

// With --io-types low: inputs that hold positions or are written to keep their type.
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

// Reads __shape__ of a variable, such as "(0, 8)". Dimensions that are not positive are unknown.
std::optional<KnownDimensions> SaidShape(const MxnetEntry& entry) {
  const JsonValue* attributes = MxnetAttributes(*entry.json);
  const JsonValue* said = attributes == nullptr ? nullptr : attributes->Find("__shape__");
  if (said == nullptr || said->string.size() < 2) return std::nullopt;
  KnownDimensions dimensions;
  const std::string_view text = said->string;
  for (const std::string_view word : SplitAt(text.substr(1, text.size() - 2), ',')) {
    const std::string_view digits = Trimmed(word);
    std::int64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() && !dimensions.empty()) break;  // "(8,)"
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
    dimensions.push_back(number > 0 ? std::optional(number) : std::nullopt);
  }
  return dimensions.empty() ? std::nullopt : std::optional(dimensions);
}

}  // namespace

const Attribute* AttributeOfAnInput(const Node& node) {
  const auto old = std::find_if(node.attributes.begin(), node.attributes.end(),
                                [](const Attribute& each) { return IsOfAnInput(each.name); });
  return old == node.attributes.end() ? nullptr : &*old;
}

ConditionFacts MxnetFacts(const MxnetSymbol& symbol, const MxnetParams* params) {
  std::map<std::string_view, const MxnetArray*> arrays;
  for (std::size_t i = 0; params != nullptr && i < params->arrays.size(); ++i) {
    const MxnetArray& array = params->arrays[i];
    arrays.emplace(MxnetVariableName(array.name), &array);
  }
  ConditionFacts facts;
  facts.initializers.resize(symbol.graph.values.size());
  facts.dimensions.resize(symbol.graph.values.size());
  for (const MxnetScope& scope : symbol.scopes) {
    for (const MxnetEntry& entry : scope.entries) {
      if (entry.node != kNone) continue;
      const auto value = static_cast<std::size_t>(entry.first_value);
      const auto array = arrays.find(symbol.graph.values[value].name);
      const bool outer = &scope == &symbol.scopes.front();
      if (outer && array != arrays.end()) {
        const auto& known = array->second->dimensions;
        facts.initializers[value] = true;
        facts.dimensions[value] = KnownDimensions(known.begin(), known.end());
      } else {
        facts.dimensions[value] = SaidShape(entry);
      }
    }
  }
  return facts;
}

std::vector<NodeLabel> LabelMxnet(const MxnetSymbol& symbol, const MxnetParams* params,
                                  const Typing& typing, const LabelOptions& options) {
  ConditionFacts facts;
  if (AskedFacts(*options.list).inputs) facts = MxnetFacts(symbol, params);
  std::vector<NodeLabel> labels = LabelNodes(symbol.graph, typing, options, &facts);
  KeepWhatIsWritten(symbol, labels);
  KeepOldAttributes(symbol.graph, labels);
  return labels;
}

Plan PlaceMxnet(MxnetSymbol& symbol, const MxnetParams* params, const Typing& typing,
                const Settings& settings, const InputRanges& inputs, std::vector<NodeLabel>& labels,
                Diagnostics& diagnostics) {
  PlanOptions plan_options;
  plan_options.raises_small = settings.options().RaisesSmall();
  plan_options.low_outputs = settings.options().io_types == "low";
  plan_options.keep_io = {settings.options().keep_io.begin(), settings.options().keep_io.end()};
  const KnownNumbers numbers = ReadNumbers(params, symbol.graph, &labels, inputs);
  const std::vector<ValueId> all_inputs = symbol.graph.scopes.front().inputs;
  const auto raise = [&](Diagnostics& of_round) {
    symbol.graph.scopes.front().inputs = all_inputs;
    auto raised =
        RaiseModelHazards(numbers, settings.target(), settings.options(), labels, of_round);
    KeepPositions(symbol, typing);
    return raised;
  };
  return PlaceRaised(symbol.graph, settings.options(), plan_options, raise, labels, diagnostics);
}

std::optional<Plan> PlaceMxnet(MxnetSymbol& symbol, const MxnetParams* params, const Typing& typing,
                               const Settings& settings, std::vector<NodeLabel>& labels,
                               Diagnostics& diagnostics) {
  const auto inputs = GivenRanges(symbol.graph, settings.options(), diagnostics);
  if (!inputs) return std::nullopt;
  return PlaceMxnet(symbol, params, typing, settings, *inputs, labels, diagnostics);
}

}  // namespace opledger
