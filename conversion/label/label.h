// Decides what every node must or may be, from a typed graph, a precision list and options, and
// which rule decided. Runs before hazards (hazards/) and placement (place/).
// May include: conversion/model/graph, registry/*.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conversion/label/condition_facts.h"
#include "conversion/label/kernel_profile.h"
#include "conversion/label/label_rule.h"
#include "conversion/label/lowered_operands.h"
#include "conversion/model/graph/types.h"
#include "registry/precision_list/resolve.h"
#include "registry/text/interned.h"
#include "registry/text/name_patterns.h"

namespace opledger {

// How to treat operators without a policy.
enum class Unlisted { kError, kWarn, kIgnore };

struct LabelOptions {
  const PrecisionList* list = nullptr;
  std::map<std::string, Policy> policies;  // of operators; override the list: --target-ops and such
  // Names of nodes that may also run low, whatever their operator's policy; nullptr: no nodes.
  const std::vector<std::string>* opened = nullptr;
  const NamePatterns* exclude = nullptr;  // names of nodes that stay as they are; nullptr: no nodes
  const KernelProfile* profile = nullptr;  // nullptr: assume every kernel exists
};

// An attribute to set on a node when it runs low, and the type it states.
struct SaidType {
  InternedString attribute;
  Dtype dtype = Dtype::kFloat32;
};

struct NodeLabel {
  Label label = Label::kFixed;
  LabelRule rule = LabelRule::kFixed;
  std::string reason;           // one line
  Location place;               // of the list entry that decided; an empty path: none
  LoweredOperands lowered;      // what becomes low with the node
  bool accepted_later = false;  // float32 only because its operator's version lacks the target type
  std::vector<std::string> keep_fp32_inputs;  // with accepted_later: from the list's entry
  std::vector<SaidType> said;                 // from the list's entry (said_types.h)
  std::vector<std::string> unsaid;  // "accumulates in float32": what the format cannot express
  bool may_overflow = false;        // its parameters may become infinite, which is proven harmless
};

// Returns whether the node may still run low.
bool MayBeLow(const NodeLabel& label);
// Returns the number of nodes that may or must run low.
std::int64_t CountLowerable(const std::vector<NodeLabel>& labels);

// Says why no node of a model runs low, with the most common reason: "none of its 6 nodes changes
// to float16: 2 stay as they are by the rule 'excluded', such as ...".
std::string WhyNothingIsLow(const Graph& graph, const std::vector<NodeLabel>& labels, Dtype target);

// `facts`: for conditions; nullptr: shapes and list attributes are unknown.
std::vector<NodeLabel> LabelNodes(const Graph& graph, const Typing& typing,
                                  const LabelOptions& options,
                                  const ConditionFacts* facts = nullptr);

}  // namespace opledger
