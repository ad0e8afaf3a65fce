// How the kinds of chains look at a model: what computes a value, what reads it, numbers of
// constants, and which nodes a chain has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "conversion/model/chains/chains.h"
#include "conversion/model/chains/dimensions.h"

namespace opledger {

class ChainWalk {
 public:
  explicit ChainWalk(const OnnxModel& model)
      : model_(model), graph_(model.graph), dimensions_(FindDimensions(model)) {}

  const Graph& graph() const { return graph_; }
  NodeId IdOf(const Node& node) const { return static_cast<NodeId>(&node - graph_.nodes.data()); }

  // A new chain, of this node alone.
  void Begin(const Node& node) { seen_ = {IdOf(node)}; }
  void Take(const Node& node) { seen_.insert(IdOf(node)); }

  // The node of this operator that gives the value, or none. It belongs to the chain.
  const Node* Producer(ValueId value, std::string_view op);
  // The same, of any operator and without taking it.
  const Node* ProducerOf(ValueId value) const;
  // The one node that reads the value; none: there are several, or a graph gives it.
  const Node* OnlyReader(ValueId value) const;
  // The value that this is 1 divided by; kNone: it is nothing such.
  ValueId InverseOf(ValueId value);
  // A new chain, of this Div, or of this Mul by an inverse: which of a Mul's inputs that is, `at`
  // says. None: it is nothing such.
  struct Division {
    ValueId dividend;
    ValueId divisor;
  };
  std::optional<Division> BeginDivision(const Node& quotient, int at);
  // Of a node with two inputs the one that is not `one`; kNone: there is none such.
  static ValueId OtherInput(const Node& node, ValueId one);
  static ValueId Output(const Node& node);

  // Of a constant with one number.
  std::optional<double> Number(ValueId value) const;
  bool IsNumber(ValueId value, double number) const;
  // The one axis that a reduction is over, which stays: counted from the end, below 0, where the
  // rank is known or it is so counted. None: there are several, or they are not known.
  std::optional<std::int64_t> ReducedAxis(const Node& node) const;
  // A constant of one dimension, as long as the last one of the value. Where the value's is not
  // known, the product with the constant says it: it could only be 1 besides, and one number has no
  // variance.
  bool IsAlongLastAxis(ValueId parameter, ValueId of) const;

  // Gives the chain its nodes, in order. None: it is not within one graph, has values that are not
  // float32, or shares a node with a chain that was found.
  std::optional<NodeChain> Close(NodeChain chain, const Node& last);

 private:
  bool FitsInto(const Node& node, ValueId input, ValueId x) const;
  bool ReadOutside(ValueId value, ScopeId scope) const;
  void TakeConstants(const NodeChain& chain, ScopeId scope);

  const OnnxModel& model_;
  const Graph& graph_;
  std::vector<std::optional<Dimensions>> dimensions_;
  std::set<NodeId> seen_;   // of the chain at hand
  std::set<NodeId> taken_;  // of those that were found
};

// Whether two numbers are the same but for how exporters round.
bool IsSameNumber(double one, double other);

// A kind each: the chain that this node tells apart, if it is one.
// d / sqrt(mean(d^2) + epsilon), or d * (1 / sqrt(...)), with d = x - mean(x) or x itself.
std::optional<NodeChain> FindNormalization(ChainWalk& walk, const Node& quotient);
// exp(x - max(x)) / sum(exp(x - max(x))), also without the maximum.
std::optional<NodeChain> FindSoftmax(ChainWalk& walk, const Node& quotient);
// x * (1 + erf(x / sqrt(2))) / 2, x * (1 + tanh(c * (x + 0.044715 * x^3))) / 2, and
// x * tanh(softplus(x)): the factors and addends in any order.
std::optional<NodeChain> FindActivation(ChainWalk& walk, const Node& function);

}  // namespace opledger
