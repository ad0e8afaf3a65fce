// Labels one node at a time by the first that applies: exclusion, a cast of the model's own, calls
// and graphs (their bodies decide), options, the list, the signature.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/label/label.h"

#include <algorithm>
#include <unordered_map>

#include "conversion/label/exclusion.h"
#include "conversion/label/said_types.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

struct PolicyOfNode {
  const char* field;  // of the list: "target_nodes"
  Policy policy;
  bool opens = false;  // does not change nodes that must be low
};

class Labeler {
 public:
  Labeler(const Graph& graph, const Typing& typing, const LabelOptions& options,
          const ConditionFacts* facts)
      : graph_(graph),
        typing_(typing),
        options_(options),
        facts_(facts),
        excluded_(FindExcluded(graph, options)) {
    if (options.list == nullptr) return;
    for (const NodePolicy& nodes : options.list->NodePolicies()) {
      for (const std::string& name : *nodes.names) {
        by_node_.insert({name, {nodes.field, nodes.policy}});
      }
    }
    if (options.opened == nullptr) return;
    for (const std::string& name : *options.opened) {
      by_node_.insert({name, {"either_nodes", Policy::kEither, true}});
    }
  }

  NodeLabel Label(NodeId id) const {
    const Node& node = graph_.nodes[id];
    NodeLabel label;
    if (!excluded_[id].empty()) {
      return Keep(std::move(label), opledger::Label::kFp32, LabelRule::kExcluded, excluded_[id]);
    }
    if (ChangesNothing(id)) {
      label.lowered = {{true}, {true}, {false}, {false}, {}};
      return Keep(std::move(label), opledger::Label::kFree, LabelRule::kCast,
                  "a cast of the original model that changes nothing");
    }
    if (IsCast(node)) {
      return Keep(std::move(label), opledger::Label::kFixed, LabelRule::kCast,
                  "a cast of the original model");
    }
    if (node.domain.empty() && node.op == "amp_multicast") {
      return Keep(std::move(label), opledger::Label::kFixed, LabelRule::kFixed,
                  "all its inputs must have one type, which must not change");
    }
    const bool scopes = std::any_of(node.attributes.begin(), node.attributes.end(),
                                    [](const Attribute& a) { return !a.scopes.empty(); });
    if (scopes && !CarriesTarget(id)) {
      return Keep(std::move(label), opledger::Label::kFp32, LabelRule::kSignature,
                  "version " + std::to_string(typing_.signatures[id]->since) + " of " +
                      std::string(node.op) + " does not support " +
                      DtypeName(options_.list->target_dtype));
    }
    if (scopes || graph_.Called(node) != kNone) {
      return Keep(std::move(label), opledger::Label::kFixed, LabelRule::kScope,
                  "the nodes in its subgraphs are placed on their own");
    }
    const Signature* signature = typing_.signatures[id];
    if (signature == nullptr) {
      const std::string op = QualifiedName(node.domain, node.op);
      const bool listed = Resolve(*options_.list, op, {}, {}, {}).entry != nullptr;
      return Keep(std::move(label), opledger::Label::kFp32,
                  listed ? LabelRule::kUntyped : LabelRule::kUnknown,
                  "the signature of " + QualifiedName(node.domain, node.op) + " is unknown");
    }
    if (!HasFloat32(node)) {
      return Keep(std::move(label), opledger::Label::kFixed, LabelRule::kFixed,
                  "it has no float32 values");
    }
    return ByNode(id, ByPolicy(id, *signature, std::move(label)));
  }

 private:
  static NodeLabel Keep(NodeLabel label, opledger::Label as, LabelRule rule, std::string reason) {
    label.label = as;
    label.rule = rule;
    label.reason = std::move(reason);
    return label;
  }

  // Returns whether the node is a cast of the model that must stay. A CastLike from integers, or
  // between float32 values, is not: its result follows the value it is like.
  bool IsCast(const Node& node) const {
    if (!node.domain.empty()) return false;
    if (node.op == "CastLike" && node.inputs.size() == 2 && node.inputs.front() != kNone) {
      const ValueType& from = graph_.values[node.inputs.front()].type;
      const bool alike = graph_.IsFloat32(node.inputs[0]) && graph_.IsFloat32(node.inputs[1]);
      return !alike &&
             (from.kind != ValueType::Kind::kTensor || !from.dtype || !IsInteger(*from.dtype));
    }
    return node.op == "Cast" || node.op == "CastLike" || node.op == "amp_cast";
  }

  // Returns whether the node casts a float32 value to float32 and could cast to the target type
  // instead. Not for parameters, which are recreated in each type.
  bool ChangesNothing(NodeId id) const {
    const Node& node = graph_.nodes[id];
    if (!node.domain.empty() || node.op != "Cast") return false;
    if (node.inputs.size() != 1 || node.outputs.size() != 1) return false;
    const Attribute* to = node.Find("to");
    const bool said = to != nullptr &&
                      (to->kind == Attribute::Kind::kInt || to->kind == Attribute::Kind::kString);
    if (!said || !graph_.IsFloat32(node.inputs[0]) || !graph_.IsFloat32(node.outputs[0])) {
      return false;
    }
    const Signature* signature = typing_.signatures[id];
    const int made = signature == nullptr ? -1 : signature->outputs[0].variable;
    return made >= 0 && signature->variables[made].Allows(options_.list->target_dtype) &&
           !IsParameter(graph_, graph_.values[node.inputs[0]]);
  }

  // Returns whether values that a node shares with its subgraphs may be low: If and Loop lack
  // bfloat16 before version 16.
  bool CarriesTarget(NodeId id) const {
    const Signature* signature = typing_.signatures[id];
    if (signature == nullptr || !graph_.nodes[id].domain.empty()) return true;
    return std::all_of(
        signature->variables.begin(), signature->variables.end(), [&](const TypeSet& set) {
          return set.Allows(options_.list->target_dtype) || !set.Allows(Dtype::kFloat32);
        });
  }

  // Applies the list's policy for this node's name, which overrides that of its operator.
  NodeLabel ByNode(NodeId id, NodeLabel label) const {
    const bool by_list = label.rule == LabelRule::kList || label.rule == LabelRule::kUnlisted;
    if (by_node_.empty() || !by_list || label.label == opledger::Label::kFixed) return label;
    const auto found = by_node_.find(graph_.NameOf(id));
    if (found == by_node_.end()) return label;
    const auto& [field, policy, opens] = found->second;
    const bool open = label.rule == LabelRule::kList && label.label != opledger::Label::kLow &&
                      label.lowered.obstacle.empty();
    if (opens && !open) return label;
    const std::string reason = std::string("the list has it in '") + field + "'";
    if (label.lowered.obstacle.empty()) {
      return Keep(std::move(label), LabelOf(policy), LabelRule::kNode, reason);
    }
    const std::string obstacle = label.lowered.obstacle;
    return Keep(std::move(label), opledger::Label::kFp32, LabelRule::kSignature,
                reason + ", but " + obstacle);
  }

  bool HasFloat32(const Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](ValueId value) { return graph_.IsFloat32(value); });
  }

  NodeLabel ByPolicy(NodeId id, const Signature& signature, NodeLabel label) const {
    const Node& node = graph_.nodes[id];
    const std::string op = QualifiedName(node.domain, node.op);
    const NodeFacts facts = FactsOf(graph_, id, &signature, facts_);
    Capabilities capabilities;
    Resolution resolution = Resolve(*options_.list, op, facts, {Dtype::kFloat32}, capabilities);
    label.lowered = FindLoweredOperands(graph_, node, signature, options_.list->target_dtype,
                                        resolution.keep_fp32_inputs);
    if (op == "CastLike") label.lowered.any[0] = true;  // it casts
    capabilities.accepts_target = label.lowered.obstacle.empty();
    if (capabilities.accepts_target) {
      label.lowered.obstacle = MissingKernel(op, signature);
      capabilities.has_target_kernel = label.lowered.obstacle.empty();
    }
    const bool wanted = resolution.entry != nullptr && resolution.label != opledger::Label::kFp32;
    label.accepted_later = wanted && !capabilities.accepts_target;
    if (label.accepted_later) label.keep_fp32_inputs = resolution.keep_fp32_inputs;
    if (!label.lowered.obstacle.empty()) {
      resolution = Resolve(*options_.list, op, facts, {Dtype::kFloat32}, capabilities);
    }
    label.label = resolution.label;
    label.rule = LabelRule::kList;
    label.reason = resolution.reason;
    if (resolution.entry != nullptr) label.place = resolution.entry->location;
    if (const auto own = options_.policies.find(op); own != options_.policies.end()) {
      return ByOption(own->second, std::move(label));
    }
    if (resolution.entry == nullptr) {
      return Keep(std::move(label), opledger::Label::kFp32, LabelRule::kUnlisted,
                  op + " is not in the list");
    }
    if (!label.lowered.obstacle.empty() && label.label == opledger::Label::kFp32) {
      label.reason += ": " + label.lowered.obstacle;
    }
    if (label.lowered.obstacle.empty()) {
      SayTypes(graph_, node, signature, *resolution.entry, options_.list->target_dtype, label);
    }
    return label;
  }

  // Returns why the node cannot run low although its signature allows it: ONNX's definition or the
  // profile. Empty if it can.
  std::string MissingKernel(const std::string& op, const Signature& signature) const {
    if (op == "MeanVarianceNormalization") {
      return "ONNX defines it by a function with float32 constants";
    }
    if (op == "BitCast") return "it reinterprets the bits of its input";
    const Dtype target = options_.list->target_dtype;
    const KernelProfile* profile = options_.profile;
    if (profile == nullptr || profile->Has(op, signature.since, target)) return {};
    return profile->runtime() + " has no " + DtypeName(target) + " kernel for its version " +
           std::to_string(signature.since);
  }

  NodeLabel ByOption(Policy policy, NodeLabel label) const {
    label.place = {};
    label.rule = LabelRule::kOption;
    label.reason = std::string("an option says '") + PolicyName(policy) + "'";
    label.label = LabelOf(policy);
    if (label.label != opledger::Label::kFp32 && !label.lowered.obstacle.empty()) {
      label.label = opledger::Label::kFp32;
      label.reason += ", but " + label.lowered.obstacle;
    }
    return label;
  }

  const Graph& graph_;
  const Typing& typing_;
  const LabelOptions& options_;
  const ConditionFacts* facts_;
  std::vector<std::string> excluded_;  // per node: why
  std::unordered_map<std::string, PolicyOfNode> by_node_;
};

}  // namespace

bool MayBeLow(const NodeLabel& label) {
  return label.label == Label::kLow || label.label == Label::kFree || label.label == Label::kWidest;
}

std::int64_t CountLowerable(const std::vector<NodeLabel>& labels) {
  return std::count_if(labels.begin(), labels.end(), [](const NodeLabel& label) {
    return label.label != Label::kFp32 && label.label != Label::kFixed;
  });
}

std::string WhyNothingIsLow(const Graph& graph, const std::vector<NodeLabel>& labels,
                            Dtype target) {
  std::map<std::string, std::vector<NodeId>> reasons;  // by rule
  for (NodeId id = 0; id < static_cast<NodeId>(labels.size()); ++id) {
    const NodeLabel& label = labels[id];
    if (label.label == Label::kFp32) reasons[RuleName(label.rule)].push_back(id);
  }
  const auto most = std::max_element(
      reasons.begin(), reasons.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  const bool already =
      std::any_of(graph.values.begin(), graph.values.end(),
                  [&](const Value& value) { return value.type.IsTensorOf(target); });
  std::string why = already                       ? "every node that may run in it already does"
                    : CountLowerable(labels) != 0 ? "none has to, each may run in either type"
                                                  : "none computes in float32";
  if (!already && most != reasons.end()) {
    const NodeId first = most->second.front();
    why = std::to_string(most->second.size()) +
          (most->second.size() == 1 ? " stays as it is by the rule '"
                                    : " stay as they are by the rule '") +
          most->first + "', such as " + NodeText(graph, first) + " (" + labels[first].reason + ")";
  }
  return "none of its " + Counted(labels.size(), "node") + " changes to " + DtypeName(target) +
         ": " + why;
}

std::vector<NodeLabel> LabelNodes(const Graph& graph, const Typing& typing,
                                  const LabelOptions& options, const ConditionFacts* facts) {
  const Labeler labeler(graph, typing, options, facts);
  std::vector<NodeLabel> labels;
  labels.reserve(graph.nodes.size());
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    labels.push_back(labeler.Label(id));
  }
  return labels;
}

}  // namespace opledger
