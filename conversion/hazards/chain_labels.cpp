// Runs before the other hazards, which may keep a node of a chain in float32.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/chain_labels.h"

#include <algorithm>
#include <optional>
#include <string>

#include "conversion/hazards/hazards.h"
#include "conversion/model/chains/chains.h"

namespace opledger {
namespace {

struct ChainPolicy {
  Label label = Label::kFp32;
  std::string reason;
  Location place;
};

// Returns nullopt if neither the list nor an option names the operator.
std::optional<ChainPolicy> PolicyOf(const NodeChain& chain, const LabelOptions& options) {
  ChainPolicy policy;
  policy.reason = "it is part of a chain that computes " + chain.op;
  if (const auto own = options.policies.find(chain.op); own != options.policies.end()) {
    policy.label = LabelOf(own->second);
    policy.reason += ", for which an option says '" + std::string(PolicyName(own->second)) + "'";
    return policy;
  }
  const Resolution resolution = Resolve(*options.list, chain.op, {}, {Dtype::kFloat32}, {});
  if (resolution.entry == nullptr) return std::nullopt;
  policy.label = resolution.label;
  policy.place = resolution.entry->location;
  policy.reason +=
      ", which the list has under '" + std::string(PolicyName(resolution.entry->policy)) + "'";
  return policy;
}

void Free(const ChainPolicy& policy, NodeLabel& label) {
  const bool by_list = label.label == Label::kFp32 && label.rule == LabelRule::kList;
  if (!by_list || !label.lowered.obstacle.empty()) return;
  label.label = Label::kFree;
  label.rule = LabelRule::kChain;
  label.reason = policy.reason;
  label.place = policy.place;
}

void Keep(const ChainPolicy& policy, NodeLabel& label) {
  if (label.rule == LabelRule::kOption || label.rule == LabelRule::kNode) return;
  PinNode(label, LabelRule::kChain, policy.reason);
  if (label.rule == LabelRule::kChain) label.place = policy.place;
}

}  // namespace

void LabelChains(const OnnxModel& model, const LabelOptions& options,
                 std::vector<NodeLabel>& labels) {
  for (const NodeChain& chain : FindChains(model)) {
    const auto policy = PolicyOf(chain, options);
    if (!policy) continue;
    const bool keeps = policy->label == Label::kFp32;
    if (!keeps && chain.sums) continue;
    for (const NodeId id : chain.nodes) {
      const bool affine =
          std::find(chain.affine.begin(), chain.affine.end(), id) != chain.affine.end();
      if (keeps && !affine) Keep(*policy, labels[id]);
      if (!keeps) Free(*policy, labels[id]);
    }
  }
}

}  // namespace opledger
