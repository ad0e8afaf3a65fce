// Finds nodes that are themselves excluded, then everything inside them.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/label/exclusion.h"

#include <algorithm>
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
  ExclusionWalk(const Graph& graph, const LabelOptions& options)
      : graph_(graph), options_(options), reasons_(graph.nodes.size()) {
    if (options.list == nullptr) return;
    names_.insert(options.list->fp32_nodes.begin(), options.list->fp32_nodes.end());
  }

  std::vector<std::string> Walk() {
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
      if (options_.exclude != nullptr && options_.exclude->Match(graph_.NameOf(id))) {
        Add(id, "its name is excluded");
      } else if (!names_.empty() && names_.count(graph_.NameOf(id)) != 0) {
        Add(id, "the list has it in 'fp32_nodes'");
      } else if (IsMarked(graph_.nodes[id])) {
        Add(id, "its attribute '" + std::string(kConstraints) + "' excludes it");
      } else if (std::string reason = PolicyOfHolder(graph_.nodes[id]); !reason.empty()) {
        Add(id, std::move(reason));
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
  // Returns why a node that contains graphs or calls a function stays in float32 with them. Empty
  // if it does not.
  std::string PolicyOfHolder(const Node& node) const {
    const bool holds = std::any_of(node.attributes.begin(), node.attributes.end(),
                                   [](const Attribute& a) { return !a.scopes.empty(); });
    if (!holds && graph_.Called(node) == kNone) return {};
    const std::string op = QualifiedName(node.domain, node.op);
    const auto own = options_.policies.find(op);
    if (own != options_.policies.end()) {
      return own->second == Policy::kFp32 ? "an option says 'fp32', for everything in it"
                                          : std::string();
    }
    if (!holds || options_.list == nullptr) return {};
    const Resolution resolution = Resolve(*options_.list, op, {}, {Dtype::kFloat32}, {});
    // The reason "structure" marks operators that compute nothing themselves.
    const bool stays = resolution.entry != nullptr && resolution.label == Label::kFp32 &&
                       resolution.entry->reason != "structure";
    return stays ? resolution.reason + ", for everything in it" : std::string();
  }

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
  const LabelOptions& options_;
  std::set<std::string> names_;
  std::vector<std::string> reasons_;
  std::vector<NodeId> open_;
};

}  // namespace

std::vector<std::string> FindExcluded(const Graph& graph, const LabelOptions& options) {
  return ExclusionWalk(graph, options).Walk();
}

}  // namespace opledger
