// Walks back from what an iteration passes on to what it received and to loop invariants.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/loop_counters.h"

#include <algorithm>
#include <set>

namespace opledger {
namespace {

ScopeId BodyOf(const Node& node) {
  const Attribute* body = node.Find("body");
  return body == nullptr || body->scopes.size() != 1 ? kNone : body->scopes.front();
}

// Returns the inputs whose elements the operator passes on or adds. Empty for other operators.
std::vector<std::size_t> CountingInputs(const Node& node) {
  if (!node.domain.empty()) return {};
  for (const char* op : {"Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze"}) {
    if (node.op == op) return {0};
  }
  for (const char* op : {"Add", "Sub", "Min", "Max"}) {
    if (node.op == op && node.inputs.size() == 2) return {0, 1};
  }
  if (node.op == "Where") return {1, 2};
  return {};
}

class CounterSearch {
 public:
  CounterSearch(const Graph& graph, const LoopLayout& at, std::size_t carried)
      : graph_(graph), body_(at.body), given_(InputOf(graph, at, carried)) {}

  // Returns whether the value is the carried value plus loop invariants.
  bool Counts(ValueId next) {
    return given_ != kNone && graph_.IsFloat32(given_) && Follow(next) && reached_ && adds_;
  }
  std::vector<NodeId> nodes() const { return {nodes_.begin(), nodes_.end()}; }

 private:
  static ValueId InputOf(const Graph& graph, const LoopLayout& at, std::size_t carried) {
    const std::vector<ValueId>& inputs = graph.scopes[at.body].inputs;
    const std::size_t position = at.body_inputs + carried;
    return position < inputs.size() ? inputs[position] : kNone;
  }

  bool IsSameInAllTurns(ValueId value) const {
    const Value& held = graph_.values[value];
    return held.scope != body_ || IsParameter(graph_, held);
  }

  bool Follow(ValueId last) {
    std::vector<ValueId> open = {last};
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      reached_ = reached_ || value == given_;
      if (value == given_ || (value != last && IsSameInAllTurns(value))) continue;
      if (!graph_.IsFloat32(value)) return false;
      const NodeId id = graph_.values[value].producer;
      if (id == kNone || graph_.nodes[id].scope != body_) return false;
      if (!nodes_.insert(id).second) continue;
      const Node& node = graph_.nodes[id];
      const std::vector<std::size_t> inputs = CountingInputs(node);
      if (inputs.empty()) return false;
      adds_ = adds_ || node.op == "Add" || node.op == "Sub";
      for (const std::size_t input : inputs) {
        if (input >= node.inputs.size() || node.inputs[input] == kNone) return false;
        open.push_back(node.inputs[input]);
      }
    }
    return true;
  }

  const Graph& graph_;
  const ScopeId body_;
  const ValueId given_;
  std::set<NodeId> nodes_;
  bool reached_ = false;
  bool adds_ = false;
};

}  // namespace

std::optional<LoopLayout> LayoutOf(const Graph& graph, NodeId id) {
  const Node& node = graph.nodes[id];
  const ScopeId body = BodyOf(node);
  if (!node.domain.empty() || body == kNone) return std::nullopt;
  if (node.op == "Loop" && node.inputs.size() >= 2) {
    return LoopLayout{body, 2, 2, 1, node.inputs.size() - 2, 0};
  }
  const Attribute* count = node.op == "Scan" ? node.Find("num_scan_inputs") : nullptr;
  if (count == nullptr || count->integer < 0) return std::nullopt;
  const auto& opsets = graph.OpsetsIn(node.scope);
  const auto opset = opsets.find("");
  // Version 8 had the lengths of the sequences as its first input.
  const std::size_t first = opset != opsets.end() && opset->second < 9 ? 1 : 0;
  const auto scanned = static_cast<std::size_t>(count->integer);
  if (node.inputs.size() < first + scanned) return std::nullopt;
  return LoopLayout{body, first, 0, 0, node.inputs.size() - first - scanned, scanned};
}

std::vector<LoopCounter> FindLoopCounters(const Graph& graph) {
  std::vector<LoopCounter> counters;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    const auto at = LayoutOf(graph, id);
    if (!at) continue;
    const std::vector<ValueId>& outputs = graph.scopes[at->body].outputs;
    for (std::size_t i = 0; i < at->carried && at->body_outputs + i < outputs.size(); ++i) {
      CounterSearch search(graph, *at, i);
      const ValueId next = outputs[at->body_outputs + i];
      if (next != kNone && search.Counts(next)) counters.push_back({id, i, search.nodes()});
    }
  }
  return counters;
}

}  // namespace opledger
