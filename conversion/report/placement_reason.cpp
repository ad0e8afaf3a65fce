// Compares the cost of a node with that of the same node in the other type, everything else being
// equal. The placement is optimal, so switching never saves a cast.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/placement_reason.h"

#include <algorithm>
#include <map>
#include <set>

namespace opledger {
namespace {

std::string Casts(int count) {
  return std::to_string(count) + (count == 1 ? " more cast" : " more casts");
}

// Returns an argument of --exclude that matches `name` only, quoted for a shell.
std::string ExcludeArgument(const std::string& name) {
  std::string pattern = "^";
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  pattern += '$';
  std::string quoted = "'";
  for (const char c : pattern) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

int CastsOf(bool low, int low_readers, int high_readers) {
  return low ? (high_readers > 0 ? 1 : 0) : (low_readers > 0 ? 1 : 0);
}

}  // namespace

PlacementReasons::PlacementReasons(const Graph& graph, const std::vector<NodeLabel>& labels,
                                   const Plan& plan, std::string target)
    : graph_(graph),
      labels_(labels),
      plan_(plan),
      target_(std::move(target)),
      readers_(graph.values.size()) {
  const auto count = [&](ValueId value, Want want) {
    if (value == kNone) return;
    if (want == Want::kLow) ++readers_[value].low;
    if (want == Want::kHigh) ++readers_[value].high;
  };
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    const std::vector<ValueId>& inputs = graph.nodes[node].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) count(inputs[i], plan.inputs[node][i]);
  }
  for (std::size_t scope = 0; scope < graph.scopes.size(); ++scope) {
    const std::vector<ValueId>& outputs = graph.scopes[scope].outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      count(outputs[i], plan.scope_outputs[scope][i]);
    }
  }
}

// Returns how many more casts a value needs if `readers` of it switch type. `low`: they are low
// now.
int PlacementReasons::Moved(ValueId value, bool low, int readers) const {
  const Readers& now = readers_[value];
  const int moved = low ? readers : -readers;
  const bool is_low = plan_.values[value].low;
  return CastsOf(is_low, now.low - moved, now.high + moved) - CastsOf(is_low, now.low, now.high);
}

int PlacementReasons::ExtraCasts(NodeId id) const {
  const Node& node = graph_.nodes[id];
  const LoweredOperands& lowered = labels_[id].lowered;
  const bool low = plan_.low[id];
  std::map<ValueId, int> moved;
  for (std::size_t i = 0; i < node.inputs.size() && i < lowered.inputs.size(); ++i) {
    const ValueId value = node.inputs[i];
    const bool counts = value != kNone && plan_.values[value].float32 && lowered.inputs[i];
    if (counts && !plan_.values[value].parameter) ++moved[value];
  }
  int extra = 0;
  for (const auto& [value, readers] : moved) extra += Moved(value, low, readers);
  for (std::size_t i = 0; i < node.outputs.size() && i < lowered.outputs.size(); ++i) {
    const ValueId value = node.outputs[i];
    if (value == kNone || !lowered.outputs[i] || plan_.values[value].parameter) continue;
    const Readers& readers = readers_[value];
    extra += CastsOf(!low, readers.low, readers.high) - CastsOf(low, readers.low, readers.high);
  }
  return extra;
}

// Returns an input that is computed in float32 and would have to be low, or kNone.
ValueId PlacementReasons::HighInput(NodeId id) const {
  const Node& node = graph_.nodes[id];
  for (std::size_t i = 0; i < node.inputs.size() && i < labels_[id].lowered.inputs.size(); ++i) {
    const ValueId value = node.inputs[i];
    if (value == kNone || !labels_[id].lowered.inputs[i]) continue;
    const ValuePlan& plan = plan_.values[value];
    if (plan.float32 && !plan.parameter && !plan.low) return value;
  }
  return kNone;
}

void PlacementReasons::CountNeighbours(NodeId id, int& low, int& high) const {
  std::set<NodeId> neighbours;
  for (const ValueId input : graph_.nodes[id].inputs) {
    if (input == kNone || !plan_.values[input].float32 || plan_.values[input].parameter) continue;
    neighbours.insert(graph_.values[input].producer);
  }
  for (const ValueId output : graph_.nodes[id].outputs) {
    if (output == kNone || !plan_.values[output].float32) continue;
    for (const Use& use : graph_.values[output].uses) neighbours.insert(use.node);
  }
  neighbours.erase(kNone);
  low = static_cast<int>(std::count_if(neighbours.begin(), neighbours.end(),
                                       [&](NodeId each) { return plan_.low[each]; }));
  high = static_cast<int>(neighbours.size()) - low;
}

std::string PlacementReasons::Text(NodeId id) const {
  const bool low = plan_.low[id];
  const bool casts = labels_[id].rule == LabelRule::kCast && !low;
  if (casts && plan_.values[graph_.nodes[id].outputs[0]].same_low != kNone) {
    return "float32: its input is " + target_ + " now, so it replaces another cast";
  }
  const int extra = ExtraCasts(id);
  int low_neighbours = 0;
  int high_neighbours = 0;
  CountNeighbours(id, low_neighbours, high_neighbours);
  const int neighbours = low_neighbours + high_neighbours;
  if (!low && labels_[id].label == Label::kWidest) {
    if (const ValueId input = HighInput(id); input != kNone) {
      return "float32: its input '" + std::string(graph_.values[input].name) +
             "' is, and it runs in the widest type of its inputs";
    }
  }
  const std::string same = low ? target_ : "float32";
  const std::string other = low ? "float32" : target_;
  const int alike = low ? low_neighbours : high_neighbours;
  std::string text = same + ": " + std::to_string(alike) + " of its " + std::to_string(neighbours) +
                     (neighbours == 1 ? " neighbor" : " neighbors") +
                     (alike == 1 ? " is" : " are") + "; ";
  if (extra > 0)
    return text + "in " + other + " it would need " + Casts(extra) + " if nothing else changes";
  if (low) return text + "float32 would need as many casts; the smaller type is preferred";
  return text + "no node that must run in " + target_ + " is connected to it";
}

std::vector<std::string> PlacementReasons::Alternatives(NodeId id, int extra_casts) const {
  const NodeLabel& label = labels_[id];
  const Node& node = graph_.nodes[id];
  const std::string op = QualifiedName(node.domain, node.op);
  const bool free = label.label == Label::kFree || label.label == Label::kWidest;
  const bool low = plan_.low[id];
  const std::string price = free && extra_casts > 0
                                ? ", for " + Casts(extra_casts) + " if nothing else changes"
                                : std::string();
  if (low) {
    const std::string exclude =
        "--exclude " + ExcludeArgument(graph_.NameOf(id)) + " keeps this node in float32" + price;
    if (label.rule == LabelRule::kCast) return {exclude};  // casts have no operator policy
    return {exclude, "--fp32-ops " + op + " keeps all " + op + " nodes in float32"};
  }
  if (label.rule == LabelRule::kExcluded) return {"without that exclusion, the list decides"};
  const bool decided = label.rule == LabelRule::kList || label.rule == LabelRule::kOption ||
                       label.rule == LabelRule::kUnlisted;
  if (!decided) return {};
  if (!label.lowered.obstacle.empty()) return {};
  std::vector<std::string> alternatives = {"--target-ops " + op + " runs all " + op + " nodes in " +
                                           target_ + price};
  if (label.rule == LabelRule::kUnlisted) {
    alternatives.push_back("an entry for " + op + " in the list gives it a policy");
  } else if (!free) {
    alternatives.push_back("under 'widest' or 'either' it would run in " + target_ +
                           " where that saves casts");
  }
  return alternatives;
}

}  // namespace opledger
