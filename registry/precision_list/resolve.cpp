// Determines what a precision list means for one node.
// SPDX-License-Identifier: Apache-2.0
#include "registry/precision_list/resolve.h"

#include <algorithm>

namespace opledger {
namespace {

const ListEntry* FindEntry(const PrecisionList& list, const std::string& op) {
  const auto named = [&](const ListEntry& entry) { return entry.op == op; };
  const auto own = std::find_if(list.entries.begin(), list.entries.end(), named);
  if (own != list.entries.end()) return &*own;
  const auto base = std::find_if(list.inherited.begin(), list.inherited.end(), named);
  return base != list.inherited.end() ? &*base : nullptr;
}

// Returns the policy of an entry for a node, and sets the reason.
Policy Decide(const ListEntry& entry, const NodeFacts& facts, Resolution& resolution) {
  resolution.reason = "list says '" + std::string(PolicyName(entry.policy)) + "'";
  if (entry.policy != Policy::kConditional) return entry.policy;
  std::string unknown;
  for (std::size_t i = 0; i < entry.clauses.size(); ++i) {
    const Clause& clause = entry.clauses[i];
    std::string value;
    const ClauseAnswer answer = AskClause(clause, facts, value);
    if (answer == ClauseAnswer::kUnknown && unknown.empty()) unknown = value;
    if (answer != ClauseAnswer::kYes) continue;
    resolution.clause = static_cast<int>(i);
    resolution.reason = "list says '" + std::string(PolicyName(clause.then)) + "' for " + value;
    if (!unknown.empty()) resolution.reason += "; " + unknown + " is not known";
    return clause.then;
  }
  resolution.reason = "no condition holds" +
                      (unknown.empty() ? "" : ", " + unknown + " is not known") + ": list says '" +
                      std::string(PolicyName(entry.otherwise)) + "'";
  return entry.otherwise;
}

// Returns why a node cannot run in 16 bits, or an empty string. `free`: the list does not require
// it.
std::string Obstacle(const Capabilities& capabilities, bool free) {
  if (!capabilities.accepts_target) return "its signature does not allow the target type";
  if (!capabilities.has_target_kernel) return "it has no kernel for the target type";
  // A cast would create a copy, and the node would write to the copy. If the list requires 16 bits,
  // these inputs are kept.
  if (free && capabilities.has_mutable_input) return "it writes to one of its inputs";
  return {};
}

bool HasFloat32(const NodeFacts& facts, const std::vector<Dtype>& input_dtypes,
                const Capabilities& capabilities) {
  if (capabilities.chooses_output_type) return true;
  if (std::find(input_dtypes.begin(), input_dtypes.end(), Dtype::kFloat32) != input_dtypes.end()) {
    return true;
  }
  const auto dtype = facts.attributes.find("dtype");
  return dtype != facts.attributes.end() && dtype->second == DtypeName(Dtype::kFloat32);
}

}  // namespace

const char* LabelName(Label label) {
  switch (label) {
    case Label::kLow:
      return "low";
    case Label::kFp32:
      return "fp32";
    case Label::kWidest:
      return "widest";
    case Label::kFree:
      return "free";
    case Label::kFixed:
      return "fixed";
  }
  return "fixed";
}

Label LabelOf(Policy policy) {
  switch (policy) {
    case Policy::kTarget:
      return Label::kLow;
    case Policy::kWidest:
      return Label::kWidest;
    case Policy::kEither:
      return Label::kFree;
    case Policy::kFp32:
    case Policy::kConditional:
      break;
  }
  return Label::kFp32;
}

Resolution Resolve(const PrecisionList& list, const std::string& op, const NodeFacts& facts,
                   const std::vector<Dtype>& input_dtypes, const Capabilities& capabilities) {
  Resolution resolution;
  resolution.entry = FindEntry(list, op);
  if (resolution.entry == nullptr) {
    resolution.reason = "not in the list";
    return resolution;
  }
  if (capabilities.is_cast) {
    resolution.reason = "a cast of the original model";
    return resolution;
  }
  if (!HasFloat32(facts, input_dtypes, capabilities)) {
    resolution.reason = "it has no float32 values";
    return resolution;
  }
  const Policy policy = Decide(*resolution.entry, facts, resolution);
  resolution.keep_fp32_inputs = resolution.entry->keep_fp32_inputs;
  resolution.label = LabelOf(policy);
  if (resolution.label == Label::kFp32) return resolution;
  const std::string obstacle = Obstacle(capabilities, resolution.label != Label::kLow);
  if (!obstacle.empty()) {
    resolution.label = Label::kFp32;
    resolution.reason += ", but " + obstacle;
  }
  return resolution;
}

}  // namespace opledger
