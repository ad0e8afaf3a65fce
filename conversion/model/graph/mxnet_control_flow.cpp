// Ignores positions that are out of range.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/graph/mxnet_control_flow.h"

#include <algorithm>
#include <charconv>

namespace opledger {
namespace {

// Returns the numbers of an attribute such as "[0, 1]" or "(0,)".
std::vector<std::size_t> Positions(const Node& node, std::string_view attribute) {
  std::vector<std::size_t> positions;
  const Attribute* found = node.Find(attribute);
  if (found == nullptr) return positions;
  const char* at = found->text.data();
  const char* end = at + found->text.size();
  while (at < end) {
    std::size_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error == std::errc()) positions.push_back(number);
    at = next == at ? at + 1 : next;
  }
  return positions;
}

std::size_t Number(const Node& node, std::string_view attribute) {
  const std::vector<std::size_t> numbers = Positions(node, attribute);
  return numbers.empty() ? 0 : numbers.front();
}

ScopeId Subgraph(const Node& node, std::string_view name) {
  const Attribute* found = node.Find(name);
  return found == nullptr || found->scopes.size() != 1 ? kNone : found->scopes.front();
}

bool IsForeach(const Node& node) { return node.op == "_foreach" || node.op == "_npx_foreach"; }
bool IsWhile(const Node& node) { return node.op == "_while_loop" || node.op == "_npx_while_loop"; }
bool IsCond(const Node& node) { return node.op == "_cond" || node.op == "_npx_cond"; }

class LinkFinder {
 public:
  LinkFinder(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  void Add(std::size_t input, ScopeId scope, std::size_t scope_input) {
    if (scope == kNone || input >= node_.inputs.size()) return;
    if (scope_input >= graph_.scopes[scope].inputs.size()) return;
    links.push_back({input, scope, scope_input});
  }

  // The attribute lists the node's inputs in the order of the subgraph's inputs.
  void AddInputs(const char* attribute, ScopeId scope) {
    const std::vector<std::size_t> inputs = Positions(node_, attribute);
    for (std::size_t i = 0; i < inputs.size(); ++i) Add(inputs[i], scope, i);
  }

  std::vector<MxnetLink> links;

 private:
  const Graph& graph_;
  const Node& node_;
};

}  // namespace

std::vector<MxnetLink> MxnetLinks(const Graph& graph, const Node& node) {
  LinkFinder finder(graph, node);
  if (IsForeach(node)) {
    // The attributes list the body's inputs in the order of the node's inputs.
    std::size_t input = 0;
    for (const char* attribute : {"in_data_locs", "in_state_locs", "remain_locs"}) {
      for (const std::size_t at : Positions(node, attribute)) {
        finder.Add(input++, Subgraph(node, "body"), at);
      }
    }
  } else if (IsWhile(node)) {
    finder.AddInputs("cond_input_locs", Subgraph(node, "cond"));
    finder.AddInputs("func_input_locs", Subgraph(node, "body"));
  } else if (IsCond(node)) {
    finder.AddInputs("cond_input_locs", Subgraph(node, "cond"));
    finder.AddInputs("then_input_locs", Subgraph(node, "then_branch"));
    finder.AddInputs("else_input_locs", Subgraph(node, "else_branch"));
  }
  return std::move(finder.links);
}

std::vector<MxnetResult> MxnetResults(const Graph& graph, const Node& node) {
  std::vector<MxnetResult> results;
  std::vector<ScopeId> scopes;
  if (IsForeach(node) || IsWhile(node)) scopes = {Subgraph(node, "body")};
  if (IsCond(node)) scopes = {Subgraph(node, "then_branch"), Subgraph(node, "else_branch")};
  for (std::size_t i = 0; i < node.outputs.size() && !scopes.empty(); ++i) {
    MxnetResult result{i, {}};
    for (const ScopeId scope : scopes) {
      if (scope == kNone || i >= graph.scopes[scope].outputs.size()) return {};
      result.from.push_back({scope, i});
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<MxnetCarried> MxnetCarriedValues(const Node& node) {
  std::vector<MxnetCarried> carried;
  const std::size_t data = Number(node, "num_out_data");
  if (IsForeach(node)) {
    const std::size_t first = Positions(node, "in_data_locs").size();
    const std::size_t states = Positions(node, "in_state_locs").size();
    for (std::size_t i = 0; i < states; ++i) carried.push_back({first + i, data + i});
  } else if (IsWhile(node)) {
    const std::vector<std::size_t> inputs = Positions(node, "func_input_locs");
    const std::vector<std::size_t> variables = Positions(node, "func_var_locs");
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i] < inputs.size()) carried.push_back({inputs[variables[i]], data + i});
    }
  }
  std::erase_if(carried, [&](const MxnetCarried& each) {
    return each.input >= node.inputs.size() || each.output >= node.outputs.size();
  });
  return carried;
}

}  // namespace opledger
