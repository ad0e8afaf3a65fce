// First what is excluded itself, then what is inside of that.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/label/exclusion.h"

#include <charconv>
#include <set>

namespace opledger {
namespace {

// HybridBlock.OptConstraint.disable_amp() of MXNet 2 sets this bit of this attribute.
constexpr std::string_view kConstraints = "__opt_constraint__";
constexpr unsigned kDisableAmp = 1;

bool IsMarked(const Node& node) {
  const Attribute* constraints = node.Find(kConstraints);
  if (constraints == nullptr || constraints->kind != Attribute::Kind::kString) return false;
  unsigned bits = 0;
  const char* text = constraints->text.data();
  std::from_chars(text, text + constraints->text.size(), bits);
  return (bits & kDisableAmp) != 0;
}

class ExclusionWalk {
 public:
  ExclusionWalk(const Graph& graph, const NamePatterns* patterns,
                const std::vector<std::string>* names)
      : graph_(graph), patterns_(patterns), reasons_(graph.nodes.size()) {
    if (names != nullptr) names_.insert(names->begin(), names->end());
  }

  std::vector<std::string> Walk() {
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
      if (patterns_ != nullptr && patterns_->Match(graph_.NameOf(id))) {
        Add(id, "its name is excluded");
      } else if (!names_.empty() && names_.count(graph_.NameOf(id)) != 0) {
        Add(id, "the list has it in 'fp32_nodes'");
      } else if (IsMarked(graph_.nodes[id])) {
        Add(id, "its attribute '" + std::string(kConstraints) + "' excludes it");
      }
    }
    while (!open_.empty()) {
      const NodeId id = open_.back();
      open_.pop_back();
      const Node& node = graph_.nodes[id];
      const FunctionId called = graph_.Called(node);
      if (called != kNone) AddScope(graph_.functions[called].body, id);
      for (const Attribute& attribute : node.attributes) {
        for (const ScopeId scope : attribute.scopes) AddScope(scope, id);
      }
    }
    return std::move(reasons_);
  }

 private:
  void Add(NodeId id, std::string reason) {
    if (!reasons_[id].empty()) return;
    reasons_[id] = std::move(reason);
    open_.push_back(id);
  }

  void AddScope(ScopeId scope, NodeId owner) {
    for (const NodeId id : graph_.scopes[scope].nodes) {
      if (reasons_[id].empty()) {
        Add(id, "it is part of '" + graph_.NameOf(owner) + "', which is excluded");
      }
    }
  }

  const Graph& graph_;
  const NamePatterns* patterns_;
  std::set<std::string> names_;
  std::vector<std::string> reasons_;
  std::vector<NodeId> open_;
};

}  // namespace

std::vector<std::string> FindExcluded(const Graph& graph, const NamePatterns* patterns,
                                      const std::vector<std::string>* names) {
  return ExclusionWalk(graph, patterns, names).Walk();
}

}  // namespace opledger
