// Infers the types of all values of a graph and checks the types of every node.
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
  std::vector<const Signature*> signatures;  // per node; nullptr: unknown, or a function call
  std::vector<TypeProblem> problems;
};

// Sets the type of every value without a declared type, if it follows from its node. Reports types
// that contradict the declaration and inputs that a signature does not allow. Skips operators
// without a signature.
Typing InferTypes(Graph& graph, Signatures& signatures);

// Returns whether a node meets the additional conditions of a rule (see TypeRule).
bool RuleApplies(const Graph& graph, const Node& node, const TypeRule& rule);

// Returns "MatMul node '/encoder/MatMul'". An unnamed node is named by its first output.
std::string NodeText(const Graph& graph, NodeId id);

}  // namespace opledger
