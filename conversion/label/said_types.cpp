// The signature says which attribute types an output. The few that set accumulation are listed
// here.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/label/said_types.h"

#include <algorithm>
#include <map>

#include "registry/text/text.h"

namespace opledger {
namespace {

// An ONNX attribute and its default; nullopt: the default is unspecified.
struct AccumulateAttribute {
  const char* name;
  std::optional<Dtype> absent;
};
constexpr AccumulateAttribute kAccumulateAttributes[] = {
    {"stash_type", Dtype::kFloat32},
    {"softmax_precision", std::nullopt},
};

const TypeRule* OutputRule(const Signature& signature, std::string_view attribute, int output) {
  for (const TypeRule& rule : signature.rules) {
    const bool types = rule.kind == TypeRule::Kind::kAttribute &&
                       (attribute.empty() || rule.attribute == attribute);
    if (types && (rule.output == output || rule.output == -1)) return &rule;
  }
  return nullptr;
}

bool SaysOutput(const Graph& graph, const Node& node, const Signature& signature, Dtype dtype,
                Dtype target, NodeLabel& label) {
  if (node.outputs.empty() || !graph.IsFloat32(node.outputs[0])) return false;
  const bool low = label.lowered.outputs[0];
  if (dtype == target) return low;
  if (dtype != Dtype::kFloat32) return false;
  if (!low) return true;  // it computes float32 already
  const TypeRule* rule = OutputRule(signature, {}, 0);
  if (rule == nullptr || node.Find(rule->attribute) != nullptr) return false;
  label.said.push_back({rule->attribute, dtype});
  label.lowered.outputs[0] = false;
  return true;
}

bool SaysAccumulation(const Node& node, const Signature& signature, Dtype dtype, Dtype target,
                      NodeLabel& label) {
  if (dtype != Dtype::kFloat32 && dtype != target) return false;
  for (const AccumulateAttribute& each : kAccumulateAttributes) {
    if (!signature.attributes.contains(each.name)) continue;
    const Attribute* given = node.Find(each.name);
    const std::optional<Dtype> now = given == nullptr ? each.absent : given->type.dtype;
    if (now == dtype) return true;
    // Setting the attribute would also change outputs of this type.
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const bool typed = OutputRule(signature, each.name, static_cast<int>(i)) != nullptr;
      if (typed && node.outputs[i] != kNone) return false;
    }
    label.said.push_back({each.name, dtype});
    return true;
  }
  return false;
}

}  // namespace

void SayTypes(const Graph& graph, const Node& node, const Signature& signature,
              const ListEntry& entry, Dtype target, NodeLabel& label) {
  if (entry.accumulate && !SaysAccumulation(node, signature, *entry.accumulate, target, label)) {
    label.unsaid.push_back(std::string("accumulates in ") + DtypeName(*entry.accumulate));
  }
  if (entry.output && !SaysOutput(graph, node, signature, *entry.output, target, label)) {
    label.unsaid.push_back(std::string("outputs ") + DtypeName(*entry.output));
  }
  if (label.label == Label::kFp32) return;
  for (const SaidType& said : label.said) {
    label.reason += "; in 16 bits with " + said.attribute.text() + " = " + DtypeName(said.dtype);
  }
}

std::string UnsaidTypes(const Graph& graph, const std::vector<NodeLabel>& labels,
                        const std::vector<bool>& low) {
  std::map<std::string, std::map<std::string, std::size_t>> unsaid;  // what, operator: nodes
  for (std::size_t id = 0; id < labels.size(); ++id) {
    for (const std::string& what : labels[id].unsaid) {
      const Node& node = graph.nodes[id];
      if (low[id]) ++unsaid[what][QualifiedName(node.domain, node.op)];
    }
  }
  std::string text;
  for (const auto& [what, operators] : unsaid) {
    text += "  the list's '" + what + "' cannot be expressed for ";
    text += Join(operators, ", ", [](const auto& op) {
      return Counted(op.second, "node") + " of " + Printable(op.first);
    });
    text += ": the runtime decides\n";
  }
  return text;
}

}  // namespace opledger
