// The types of all values of a graph, and whether every node may have the types it has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "conversion/model/graph/signature.h"

namespace opledger {

struct TypeProblem {
  NodeId node = kNone;
  std::string message;  // "input 1 (B) is tensor(float16), input 0 (A) tensor(float32)"
};

struct Typing {
  std::vector<const Signature*> signatures;  // of each node; nullptr: unknown, or a function's call
  std::vector<TypeProblem> problems;
};

// Fills in the type of every value that follows from its node, where the file says none; what the
// file says and does not follow is a problem, as are inputs that a signature does not allow.
// Operators without a signature give no types and no problems.
Typing InferTypes(Graph& graph, Signatures& signatures);

// Whether a rule's other conditions hold for a node: on its attributes, on an input's type.
bool RuleApplies(const Graph& graph, const Node& node, const TypeRule& rule);

// "MatMul node '/encoder/MatMul'"; an unnamed one is named by its first output.
std::string NodeText(const Graph& graph, NodeId id);

}  // namespace opledger
