// A graph with types, a precision list and options -> what every node must or may be, and which
// rule says so: before numbers are read (pins/) and before placement (place/).
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

// What an operator without a policy means.
enum class Unlisted { kError, kWarn, kIgnore };

struct LabelOptions {
  const PrecisionList* list = nullptr;
  std::map<std::string, Policy> policies;  // of operators, above the list: --target-ops and such
  // Names of nodes that may run low, too, whatever their operator's policy is; none: no node.
  const std::vector<std::string>* opened = nullptr;
  const NamePatterns* exclude = nullptr;   // names of nodes that stay as they are; none: no node
  const KernelProfile* profile = nullptr;  // none: every kernel is there
};

// An attribute that a node gets when it runs low, and the type that it says.
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
  bool accepted_later = false;  // it is float32 only since its version does not take the target
  std::vector<std::string> keep_fp32_inputs;  // with accepted_later: what the list says of it
  std::vector<SaidType> said;                 // of the list's entry (said_types.h)
  std::vector<std::string> unsaid;  // "accumulates in float32": what the format cannot say
  bool may_overflow = false;  // parameters of it may become infinite: it is proven to be right
};

// Whether the node may still run low.
bool MayBeLow(const NodeLabel& label);
// How many nodes may run low, or must.
std::int64_t CountLowerable(const std::vector<NodeLabel>& labels);

// Of a model in which none runs low, with the reason that most nodes have: "none of its 6 nodes
// changes to float16: 2 stay as they are by the rule 'excluded', such as ...".
std::string WhyNothingIsLow(const Graph& graph, const std::vector<NodeLabel>& labels, Dtype target);

// `facts`: what conditions may ask; nullptr: no shapes and no lists are known.
std::vector<NodeLabel> LabelNodes(const Graph& graph, const Typing& typing,
                                  const LabelOptions& options,
                                  const ConditionFacts* facts = nullptr);

}  // namespace opledger
