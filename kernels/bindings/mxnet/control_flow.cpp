// Reads MXNet's _cond, _foreach and _while_loop as control flow. Their inner graphs capture
// nothing; they refer to the node's inputs by position.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/mxnet/control_flow.h"

#include <algorithm>
#include <charconv>

#include "conversion/model/graph/mxnet_control_flow.h"
#include "kernels/bindings/control_flow.h"

namespace opledger {
namespace {

using Source = InnerInput::From;

// Inputs of the graph, all from inputs of the node.
InnerGraph Linked(const Graph& graph, const Node& node, ScopeId scope) {
  InnerGraph inner{scope, {}};
  for (const MxnetLink& link : MxnetLinks(graph, node)) {
    if (link.scope != scope) continue;
    inner.inputs.push_back(
        {graph.scopes[scope].inputs[link.scope_input], Source::kOuter, link.input});
  }
  return inner;
}

ControlFlow ReadCond(const Graph& graph, const Node& node) {
  ControlFlow flow;
  const ScopeId test = InnerScope(node, "cond");
  if (test == kNone || graph.scopes[test].outputs.size() != 1)
    return CannotRun("it has no condition");
  flow.test.push_back(Linked(graph, node, test));
  for (const char* branch : {"then_branch", "else_branch"}) {
    const ScopeId scope = InnerScope(node, branch);
    if (scope == kNone) return CannotRun("it does not have two branches");
    flow.graphs.push_back(Linked(graph, node, scope));
  }
  return flow;
}

// If the node's input is only the initial value of a carried one, reads the carried one instead.
void HandOn(const std::vector<MxnetCarried>& carried, InnerInput& input) {
  for (std::size_t i = 0; i < carried.size(); ++i) {
    if (carried[i].input != input.index) continue;
    input.from = Source::kCarried;
    input.index = i;
    return;
  }
}

// Returns an attribute, or nullopt if it is not a nonnegative integer.
std::optional<std::int64_t> NumberOf(const Node& node, std::string_view name) {
  const Attribute* found = node.Find(name);
  if (found == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const char* end = found->text.data() + found->text.size();
  const auto [at, error] = std::from_chars(found->text.data(), end, number);
  if (error != std::errc() || at != end || number < 0) return std::nullopt;
  return number;
}

// Loops over the first dimension of its data; states are carried, other inputs do not change. The
// body and the node both return data, then states.
ControlFlow ReadForeach(const Graph& graph, const Node& node) {
  ControlFlow flow;
  flow.kind = ControlFlow::Kind::kLoop;
  const ScopeId scope = InnerScope(node, "body");
  if (scope == kNone) return CannotRun("it has no body");
  InnerGraph body = Linked(graph, node, scope);
  const std::vector<MxnetCarried> carried = MxnetCarriedValues(node);
  // The data come first; in_data_locs lists their positions, so count these.
  std::size_t data = 0;
  if (const Attribute* places = node.Find("in_data_locs"); places != nullptr) {
    const std::string_view text = places->text;
    const bool any = text.find_first_of("0123456789") != std::string_view::npos;
    const bool last =
        text.find(",]") != std::string_view::npos || text.find(",)") != std::string_view::npos;
    data =
        any ? static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + (last ? 0 : 1)
            : 0;
  }
  if (data == 0 || data > node.inputs.size()) return CannotRun("it has no data to loop over");
  for (std::size_t i = 0; i < data; ++i) flow.slices.push_back({static_cast<int>(i), 0, false});
  const std::size_t first = carried.empty() ? node.outputs.size() : carried.front().output;
  for (std::size_t i = 0; i < node.outputs.size() && i < graph.scopes[scope].outputs.size(); ++i) {
    if (i < first) {
      flow.results.push_back({true, flow.stacked.size()});
      flow.stacked.push_back({static_cast<int>(i), 0, false});
    } else if (i - first < carried.size()) {
      flow.results.push_back({false, i - first});
    }
  }
  for (const MxnetCarried& each : carried) {
    flow.carried.push_back({static_cast<int>(each.input), static_cast<int>(each.output)});
  }
  for (InnerInput& input : body.inputs) {
    if (input.index < data) {
      input.from = Source::kSlice;
      continue;
    }
    HandOn(carried, input);
  }
  flow.graphs.push_back(std::move(body));
  return flow;
}

// Runs while the condition on its variables is true; the body and the node both return data, then
// variables. Data after the last step are undefined in MXNet and zero here.
ControlFlow ReadWhile(const Graph& graph, const Node& node) {
  ControlFlow flow;
  flow.kind = ControlFlow::Kind::kLoop;
  const ScopeId test = InnerScope(node, "cond");
  const ScopeId body = InnerScope(node, "body");
  const auto max_steps = NumberOf(node, "max_iterations");
  if (test == kNone || graph.scopes[test].outputs.size() != 1) {
    return CannotRun("it has no condition");
  }
  if (body == kNone || !max_steps) return CannotRun("it has no body, or no max_iterations");
  flow.max_steps = *max_steps;
  flow.pads = true;
  const std::vector<MxnetCarried> carried = MxnetCarriedValues(node);
  const std::size_t first = carried.empty() ? node.outputs.size() : carried.front().output;
  for (const MxnetCarried& each : carried) {
    flow.carried.push_back({static_cast<int>(each.input), static_cast<int>(each.output)});
  }
  for (std::size_t i = 0; i < node.outputs.size() && i < graph.scopes[body].outputs.size(); ++i) {
    if (i < first) {
      flow.results.push_back({true, flow.stacked.size()});
      flow.stacked.push_back({static_cast<int>(i), 0, false});
    } else if (i - first < carried.size()) {
      flow.results.push_back({false, i - first});
    }
  }
  flow.test.push_back(Linked(graph, node, test));
  flow.graphs.push_back(Linked(graph, node, body));
  for (InnerGraph* inner : {&flow.test[0], &flow.graphs[0]}) {
    for (InnerInput& input : inner->inputs) HandOn(carried, input);
  }
  return flow;
}

}  // namespace

std::optional<ControlFlow> ReadMxnetControlFlow(const Graph& graph, const Node& node) {
  if (node.op == "_cond" || node.op == "_npx_cond") return ReadCond(graph, node);
  const bool is_while = node.op == "_while_loop" || node.op == "_npx_while_loop";
  if (!is_while && node.op != "_foreach" && node.op != "_npx_foreach") return std::nullopt;
  ControlFlow flow = is_while ? ReadWhile(graph, node) : ReadForeach(graph, node);
  const ReadFlow read = [&](NodeId inner) {
    return ReadMxnetControlFlow(graph, graph.nodes[inner]);
  };
  CaptureUnchanged(graph, "_copy", read, flow);
  return flow;
}

}  // namespace opledger
