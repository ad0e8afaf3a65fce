// Walks forward from each input while operators pass its elements on, and back from each output.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/border.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "conversion/place/loop_counters.h"

namespace opledger {
namespace {

// Operators that pass on the elements of an input, possibly moved, selected, scaled or rounded.
constexpr std::string_view kCarriers[] = {
    "Abs",   "Add",    "Cast",     "Ceil",    "Clip", "Concat", "Div",       "Expand",    "Flatten",
    "Floor", "Gather", "Identity", "Max",     "Min",  "Mod",    "Mul",       "Neg",       "Reshape",
    "Round", "Slice",  "Split",    "Squeeze", "Sub",  "Tile",   "Transpose", "Unsqueeze", "Where"};

class NumberSearch {
 public:
  explicit NumberSearch(const Graph& graph) : graph_(graph), counters_(FindLoopCounters(graph)) {
    given_.resize(graph.values.size());
    for (const Scope& scope : graph.scopes) {
      for (const ValueId output : scope.outputs) {
        if (output != kNone) given_[output] = true;
      }
    }
  }

  // Returns why an input does not hold features, or nullptr if it may.
  const char* WhyInput(ValueId input) const {
    std::set<ValueId> seen = {input};
    std::vector<ValueId> open = {input};
    const char* why = nullptr;
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      if (given_[value]) return nullptr;
      for (const Use& use : graph_.values[value].uses) {
        const Node& node = graph_.nodes[use.node];
        if (StartsCounter(use)) {
          if (why == nullptr) why = "it is the start of a loop counter";
          continue;
        }
        if (GivesIntegers(node)) {
          why = "it is only converted to integers";
          continue;
        }
        if (!IsCarrier(node, value)) return nullptr;
        for (const ValueId output : node.outputs) {
          if (output != kNone && seen.insert(output).second) open.push_back(output);
        }
      }
    }
    return why;
  }

  // The same for an output.
  const char* WhyOutput(ValueId output) const {
    const ValueId made = WithoutIdentity(output);
    const bool counted =
        std::any_of(counters_.begin(), counters_.end(),
                    [&](const LoopCounter& counter) { return GivesCounter(counter, made); });
    return counted ? "it is a loop counter" : nullptr;
  }

 private:
  ValueId WithoutIdentity(ValueId value) const {
    while (graph_.values[value].producer != kNone) {
      const Node& node = graph_.nodes[graph_.values[value].producer];
      const bool passes = node.domain.empty() && node.op == "Identity" && !node.inputs.empty();
      if (!passes || node.inputs[0] == kNone) break;
      value = node.inputs[0];
    }
    return value;
  }

  // Returns whether the value is the counter after the last iteration, or of all iterations.
  bool GivesCounter(const LoopCounter& counter, ValueId value) const {
    const std::vector<ValueId>& outputs = graph_.nodes[counter.loop].outputs;
    const auto found = std::find(outputs.begin(), outputs.end(), value);
    const auto at = LayoutOf(graph_, counter.loop);
    if (found == outputs.end() || !at) return false;
    const auto position = static_cast<std::size_t>(found - outputs.begin());
    if (position < at->carried) return position == counter.carried;
    const Scope& body = graph_.scopes[at->body];
    if (at->body_outputs + position >= body.outputs.size()) return false;
    const ValueId each = body.outputs[at->body_outputs + position];
    if (each == kNone) return false;
    const ValueId made = WithoutIdentity(each);
    const NodeId producer = graph_.values[made].producer;
    return made == body.inputs[at->body_inputs + counter.carried] ||
           std::find(counter.nodes.begin(), counter.nodes.end(), producer) != counter.nodes.end();
  }

  bool StartsCounter(const Use& use) const {
    return std::any_of(counters_.begin(), counters_.end(), [&](const LoopCounter& counter) {
      if (counter.loop != use.node) return false;
      const auto at = LayoutOf(graph_, counter.loop);
      return at && static_cast<std::size_t>(use.input) == at->node_inputs + counter.carried;
    });
  }

  // Returns whether all outputs of the node are integers.
  bool GivesIntegers(const Node& node) const {
    return !node.outputs.empty() &&
           std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) {
             if (output == kNone) return true;
             const ValueType& type = graph_.values[output].type;
             return type.kind == ValueType::Kind::kTensor && type.dtype && IsInteger(*type.dtype);
           });
  }

  // Returns whether the node passes on `carried`: its other inputs are constants or not floats.
  bool IsCarrier(const Node& node, ValueId carried) const {
    const bool known = node.domain.empty() && std::find(std::begin(kCarriers), std::end(kCarriers),
                                                        node.op) != std::end(kCarriers);
    return known && std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
             return input == kNone || input == carried || !graph_.IsFloat32(input) ||
                    IsParameter(graph_, graph_.values[input]);
           });
  }

  const Graph& graph_;
  const std::vector<LoopCounter> counters_;
  std::vector<bool> given_;  // per value: whether it is an output of a graph
};

}  // namespace

std::vector<KeptBorder> PinBorder(const Graph& graph, const PlanOptions& options,
                                  PlacementNodes& placement) {
  const auto border = static_cast<PlacementNodeId>(placement.pins.size());
  placement.pins.push_back(Pin::kLow);
  const NumberSearch search(graph);
  std::vector<KeptBorder> kept;
  const auto keeps = [&](ValueId value, const char* why) {
    if (options.keep_io.count(std::string(graph.values[value].name)) != 0) why = "--keep-io";
    if (why != nullptr && graph.IsFloat32(value)) kept.push_back({value, why});
    return why != nullptr;
  };
  // An initializer that the user may override keeps its type, even if it is also an output, since a
  // name has only one type.
  std::vector<bool> stays(graph.values.size());
  for (const ValueId input : graph.scopes[0].inputs) {
    stays[input] = graph.values[input].tensor != kNone;
    const char* why = stays[input] ? "it has a default" : search.WhyInput(input);
    if (!keeps(input, why)) placement.producers[input] = border;
  }
  for (std::size_t i = 0; i < graph.scopes[0].outputs.size(); ++i) {
    const ValueId output = graph.scopes[0].outputs[i];
    if (output == kNone || (!stays[output] && !keeps(output, search.WhyOutput(output)))) {
      placement.scope_outputs[0][i] = border;
    }
  }
  return kept;
}

}  // namespace opledger
