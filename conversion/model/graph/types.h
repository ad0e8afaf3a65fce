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
// that contradict the declaration and inputs that a signature does not allow. Operators without a
// signature cause neither types nor problems.
Typing InferTypes(Graph& graph, Signatures& signatures);

// Returns whether the other conditions of a rule hold for a node: on its attributes and an input's
// type.
bool RuleApplies(const Graph& graph, const Node& node, const TypeRule& rule);

// "MatMul node '/encoder/MatMul'". An unnamed node is named by its first output.
std::string NodeText(const Graph& graph, NodeId id);

}  // namespace opledger
