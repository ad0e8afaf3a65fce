// Finds the graphs that a node holds, and what they capture.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/control_flow.h"

#include <algorithm>
#include <map>
#include <set>

namespace opledger {

ControlFlow CannotRun(std::string why) {
  ControlFlow flow;
  flow.problem = std::move(why);
  return flow;
}

ScopeId InnerScope(const Node& node, std::string_view attribute) {
  const Attribute* found = node.Find(attribute);
  return found == nullptr || found->scopes.size() != 1 ? kNone : found->scopes.front();
}

namespace {

// Follows a value through copies and through loops that pass it on unchanged.
ValueId SourceOf(const Graph& graph, std::string_view copy, const ReadFlow& read, ValueId value) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {  // bounded, in case nodes form a cycle
    const NodeId id = value == kNone ? kNone : graph.values[value].producer;
    if (id == kNone) return value;
    const Node& node = graph.nodes[id];
    int input = -1;
    if (node.op == copy && node.inputs.size() == 1) {
      input = 0;
    } else if (const auto flow = read(id); flow && flow->kind == ControlFlow::Kind::kLoop) {
      const auto output = static_cast<std::size_t>(
          std::find(node.outputs.begin(), node.outputs.end(), value) - node.outputs.begin());
      if (output < flow->results.size()) input = flow->results[output].input;
    }
    if (input < 0) return value;
    value = node.inputs[static_cast<std::size_t>(input)];
  }
  return value;
}

}  // namespace

void CaptureUnchanged(const Graph& graph, std::string_view copy, const ReadFlow& read,
                      ControlFlow& flow) {
  using From = InnerInput::From;
  if (flow.kind != ControlFlow::Kind::kLoop || flow.graphs.size() != 1) return;
  const std::vector<InnerInput>& taken = flow.graphs[0].inputs;
  const std::vector<ValueId>& given = graph.scopes[flow.graphs[0].scope].outputs;
  std::map<NodeId, std::optional<ControlFlow>> inner;  // read each only once, regardless of nesting
  const ReadFlow read_once = [&](NodeId node) {
    const auto [at, is_new] = inner.try_emplace(node);
    if (is_new) at->second = read(node);
    return at->second;
  };
  std::vector<ControlFlow::Carried> changing;
  // The index of each carried value in `changing`; nullopt: unchanged.
  std::vector<std::optional<std::size_t>> number(flow.carried.size());
  for (std::size_t i = 0; i < flow.carried.size(); ++i) {
    const ControlFlow::Carried& each = flow.carried[i];
    const auto output = static_cast<std::size_t>(each.body_output);
    const bool has_both = each.input >= 0 && each.body_output >= 0 && output < given.size();
    const ValueId last = has_both ? SourceOf(graph, copy, read_once, given[output]) : kNone;
    const auto is_last = [&](const InnerInput& input) {
      return input.value == last && input.from == From::kCarried && input.index == i;
    };
    if (last != kNone && std::any_of(taken.begin(), taken.end(), is_last)) continue;
    number[i] = changing.size();
    changing.push_back(each);
  }
  const auto renumber = [&](InnerGraph& inner) {
    for (InnerInput& input : inner.inputs) {
      if (input.from != From::kCarried) continue;
      const int outer = flow.carried[input.index].input;
      if (!number[input.index]) input.from = From::kOuter;
      input.index = number[input.index].value_or(static_cast<std::size_t>(outer));
    }
  };
  std::for_each(flow.graphs.begin(), flow.graphs.end(), renumber);
  std::for_each(flow.test.begin(), flow.test.end(), renumber);
  for (ControlFlow::Result& result : flow.results) {
    if (result.stacked) continue;
    if (!number[result.index]) result.input = flow.carried[result.index].input;
    result.index = number[result.index].value_or(0);
  }
  flow.carried = std::move(changing);
}

std::vector<ValueId> CapturedValues(const Graph& graph, const Node& node) {
  std::vector<ScopeId> open;
  for (const Attribute& attribute : node.attributes) {
    open.insert(open.end(), attribute.scopes.begin(), attribute.scopes.end());
  }
  if (open.empty()) return {};
  std::set<ScopeId> inside;
  std::set<ValueId> read;
  while (!open.empty()) {
    const ScopeId scope = open.back();
    open.pop_back();
    if (!inside.insert(scope).second) continue;
    read.insert(graph.scopes[scope].outputs.begin(), graph.scopes[scope].outputs.end());
    for (const NodeId id : graph.scopes[scope].nodes) {
      read.insert(graph.nodes[id].inputs.begin(), graph.nodes[id].inputs.end());
      for (const Attribute& attribute : graph.nodes[id].attributes) {
        open.insert(open.end(), attribute.scopes.begin(), attribute.scopes.end());
      }
    }
  }
  std::vector<ValueId> captured;
  for (const ValueId value : read) {
    if (value != kNone && inside.count(graph.values[value].scope) == 0) captured.push_back(value);
  }
  return captured;
}

}  // namespace opledger
