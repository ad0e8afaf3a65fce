// Finds duplicate nodes. Visits nodes in file order, inner graphs at the node that contains them,
// so that earlier results are known. Inputs are compared by the values that replace them.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/duplicate_nodes.h"

#include <algorithm>
#include <unordered_map>

namespace opledger {
namespace {

// Parts of names of operators whose results differ between two calls or that modify their inputs.
// Includes MXNet's training operators and those defined in Python.
constexpr const char* kNotAlike[] = {
    "random",      "sample_", "_sample",     "_uniform", "_normal", "dropout",  "shuffle",
    "bernoulli",   "poisson", "multinomial", "gamma",    "choice",  "gumbel",   "laplace",
    "exponential", "pareto",  "weibull",     "rayleigh", "update",  "_rnn",     "custom",
    "batch_norm",  "_plugin", "assign",      "set_val",  "search",  "sampling", "optimizer"};
constexpr const char* kNotAlikeWhole[] = {
    "RNN",    "BatchNorm", "SyncBatchNorm", "CuDNNBatchNorm", "_contrib_SyncBatchNorm",
    "normal", "uniform"};

bool IsDeterministic(std::string_view op) {
  std::string lower(op);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::none_of(std::begin(kNotAlike), std::end(kNotAlike),
                      [&](const char* each) { return lower.find(each) != std::string::npos; }) &&
         std::find(std::begin(kNotAlikeWhole), std::end(kNotAlikeWhole), op) ==
             std::end(kNotAlikeWhole);
}

// Number of bits of an integer that the type holds exactly. 0 if the type is not known here.
int WholeBits(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBool:
      return 1;
    case Dtype::kBfloat16:
      return 8;
    case Dtype::kFloat16:
      return 11;
    case Dtype::kFloat32:
      return 24;
    case Dtype::kFloat64:
      return 53;
    default:
      return IsInteger(dtype) ? DtypeBits(dtype) : 0;
  }
}

bool IsSigned(Dtype dtype) {
  return dtype == Dtype::kInt4 || dtype == Dtype::kInt8 || dtype == Dtype::kInt16 ||
         dtype == Dtype::kInt32 || dtype == Dtype::kInt64;
}

// Returns whether `outer` represents every value of `inner`, so that casting to it and back changes
// nothing.
bool Holds(Dtype outer, Dtype inner) {
  if (outer == inner) return true;
  if (inner == Dtype::kFloat16 || inner == Dtype::kBfloat16) {
    return outer == Dtype::kFloat32 || outer == Dtype::kFloat64;
  }
  if (inner == Dtype::kFloat32) return outer == Dtype::kFloat64;
  if (!IsInteger(inner) || WholeBits(outer) == 0) return false;
  const int needed = WholeBits(inner);
  if (!IsInteger(outer)) return needed <= WholeBits(outer);
  if (IsSigned(inner)) return IsSigned(outer) && needed <= WholeBits(outer);
  return needed + (IsSigned(outer) ? 1 : 0) <= WholeBits(outer);
}

class Finder {
 public:
  Finder(const Graph& graph, const Typing& typing, const AttributesText& attributes)
      : graph_(graph), typing_(typing), attributes_(attributes), known_(graph.scopes.size()) {}

  DuplicateNodes Find() {
    found_.removed.resize(graph_.nodes.size());
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      found_.kept.push_back(static_cast<ValueId>(id));
    }
    is_output_.resize(graph_.values.size());
    for (const Scope& scope : graph_.scopes) {
      for (const ValueId output : scope.outputs) {
        if (output != kNone) is_output_[output] = true;
      }
    }
    VisitScope(0);
    for (const Function& function : graph_.functions) VisitScope(function.body);
    RemoveUnread();
    return std::move(found_);
  }

 private:
  void VisitScope(ScopeId scope) {
    for (const NodeId id : graph_.scopes[scope].nodes) {
      bool holds = false;
      for (const Attribute& attribute : graph_.nodes[id].attributes) {
        for (const ScopeId inner : attribute.scopes) {
          holds = true;
          VisitScope(inner);
        }
      }
      if (!holds) Visit(id);
    }
  }

  void Visit(NodeId id) {
    const Node& node = graph_.nodes[id];
    const bool output = std::any_of(node.outputs.begin(), node.outputs.end(),
                                    [&](ValueId v) { return v != kNone && is_output_[v]; });
    if (typing_.signatures[id] == nullptr || !IsDeterministic(node.op)) return;
    const auto attributes = attributes_(id);
    if (!attributes || (!output && TakeOutCast(id))) return;
    const std::string key = Key(node) + *attributes;
    for (ScopeId scope = node.scope; !output && scope != kNone;
         scope = graph_.scopes[scope].parent) {
      const auto before = known_[scope].find(key);
      if (before == known_[scope].end() || !Stands(graph_.nodes[before->second], node)) continue;
      const Node& same = graph_.nodes[before->second];
      for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] != kNone) found_.kept[node.outputs[i]] = same.outputs[i];
      }
      found_.removed[id] = true;
      ++found_.merged;
      return;
    }
    known_[node.scope].emplace(key, id);
  }

  // A node's key without its attributes.
  std::string Key(const Node& node) const {
    std::string key(node.domain);
    key.append(1, '\0').append(node.op).append(1, '\0');
    for (const ValueId input : node.inputs) {
      key += std::to_string(input == kNone ? kNone : found_.kept[input]) + ',';
    }
    key += ':';
    for (const ValueId output : node.outputs) key += output == kNone ? '-' : '+';
    return key + '\0';
  }

  // Returns whether the outputs of `same` are visible at `node` and have the same types.
  bool Stands(const Node& same, const Node& node) const {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNone) continue;
      if (!Reaches(same.outputs[i], node.outputs[i])) return false;
    }
    return true;
  }

  // Returns whether every reader of `value` can read `other` instead.
  bool Reaches(ValueId other, ValueId value) const {
    const Value& stands = graph_.values[other];
    if (!(stands.type == graph_.values[value].type)) return false;
    const std::vector<Use>& uses = graph_.values[value].uses;
    return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      const Node& reader = graph_.nodes[use.node];
      return graph_.Find(reader.scope, stands.name) == other;
    });
  }

  // Returns the value that the cast restores: its input, or what its input was cast from. Returns
  // kNone if there is no such value.
  ValueId GivenBack(const Node& node) const {
    const std::optional<Dtype> to = graph_.values[node.outputs[0]].type.dtype;
    const ValueId input = found_.kept[node.inputs[0]];
    const Value& from = graph_.values[input];
    if (!to || from.type.kind != ValueType::Kind::kTensor || !from.type.dtype) return kNone;
    if (from.type.dtype == to) return input;
    if (from.producer == kNone || !IsCast(graph_.nodes[from.producer])) return kNone;
    const ValueId first = found_.kept[graph_.nodes[from.producer].inputs[0]];
    const ValueType& type = graph_.values[first].type;
    return type.IsTensorOf(*to) && Holds(*from.type.dtype, *to) ? first : kNone;
  }

  static bool IsCast(const Node& node) {
    return (node.op == "Cast" || node.op == "amp_cast") && node.domain.empty() &&
           node.inputs.size() == 1 && node.outputs.size() == 1 && node.inputs[0] != kNone &&
           node.outputs[0] != kNone;
  }

  bool TakeOutCast(NodeId id) {
    const Node& node = graph_.nodes[id];
    if (!IsCast(node)) return false;
    const ValueId value = GivenBack(node);
    if (value == kNone || !Reaches(value, node.outputs[0])) return false;
    found_.kept[node.outputs[0]] = value;
    found_.removed[id] = true;
    ++found_.casts;
    unread_.push_back(node.inputs[0]);
    return true;
  }

  // Removes casts that only removed casts have read.
  void RemoveUnread() {
    for (std::size_t i = 0; i < unread_.size(); ++i) {
      const ValueId value = found_.kept[unread_[i]];
      const NodeId producer = graph_.values[value].producer;
      if (producer == kNone || found_.removed[producer] || is_output_[value]) continue;
      if (!IsCast(graph_.nodes[producer]) || IsRead(value) || !attributes_(producer)) continue;
      found_.removed[producer] = true;
      ++found_.casts;
      unread_.push_back(graph_.nodes[producer].inputs[0]);
    }
  }

  bool IsRead(ValueId value) {
    if (readers_.empty()) {
      for (std::size_t id = 0; id < graph_.values.size(); ++id) {
        readers_[found_.kept[id]].push_back(static_cast<ValueId>(id));
      }
    }
    const std::vector<ValueId>& same = readers_[value];
    return std::any_of(same.begin(), same.end(), [&](ValueId each) {
      const std::vector<Use>& uses = graph_.values[each].uses;
      return is_output_[each] || std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
               return !found_.removed[use.node];
             });
    });
  }

  const Graph& graph_;
  const Typing& typing_;
  const AttributesText& attributes_;
  std::vector<std::unordered_map<std::string, NodeId>> known_;  // per scope: nodes by key
  std::vector<bool> is_output_;  // per value: whether it is an output of a scope
  std::vector<ValueId> unread_;  // inputs of removed casts
  std::unordered_map<ValueId, std::vector<ValueId>> readers_;  // by the value that replaces them
  DuplicateNodes found_;
};

}  // namespace

DuplicateNodes FindDuplicates(const Graph& graph, const Typing& typing,
                              const AttributesText& attributes) {
  return Finder(graph, typing, attributes).Find();
}

}  // namespace opledger
