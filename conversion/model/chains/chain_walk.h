// Lets the finders of chains query a model: producers and readers of values, constants, and the
// nodes of the current chain.
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

  // Starts a new chain with this node.
  void Begin(const Node& node) { seen_ = {IdOf(node)}; }
  void Take(const Node& node) { seen_.insert(IdOf(node)); }

  // Returns the producer of the value if it is this operator, and adds it to the chain; otherwise
  // nullptr.
  const Node* Producer(ValueId value, std::string_view op);
  // Returns the producer, whatever its operator, without adding it.
  const Node* ProducerOf(ValueId value) const;
  // Returns the only node that reads the value, or nullptr if there are several or none.
  const Node* OnlyReader(ValueId value) const;
  // Returns x if the value is 1 / x, otherwise kNone.
  ValueId InverseOf(ValueId value);
  // Starts a new chain at a Div, or at a Mul by an inverse. `at`: the input that is the divisor or
  // inverse. Returns nullopt if the node is neither.
  struct Division {
    ValueId dividend;
    ValueId divisor;
  };
  std::optional<Division> BeginDivision(const Node& quotient, int at);
  // Returns the other input of a node with two inputs, or kNone if `one` is not among them.
  static ValueId OtherInput(const Node& node, ValueId one);
  static ValueId Output(const Node& node);

  // Returns the element of a constant with a single element.
  std::optional<double> Number(ValueId value) const;
  bool IsNumber(ValueId value, double number) const;
  // Returns the only axis of a reduction that keeps its dimensions. It is negative, counted from
  // the end, if the rank is known or the model counts so. Returns nullopt if there are several axes
  // or they are unknown.
  std::optional<std::int64_t> ReducedAxis(const Node& node) const;
  // Returns whether a parameter is one-dimensional and as long as the last axis of the value. If
  // that is unknown, the product with the parameter implies it, unless it is 1; then there would be
  // no variance.
  bool IsAlongLastAxis(ValueId parameter, ValueId of) const;

  // Sets the nodes of the chain, in order. Returns nullopt if they are not in one graph, are not
  // all float32, or belong to a chain found earlier.
  std::optional<NodeChain> Close(NodeChain chain, const Node& last);

 private:
  bool FitsInto(const Node& node, ValueId input, ValueId x) const;
  bool ReadOutside(ValueId value, ScopeId scope) const;
  void TakeConstants(const NodeChain& chain, ScopeId scope);

  const OnnxModel& model_;
  const Graph& graph_;
  std::vector<std::optional<Dimensions>> dimensions_;
  std::set<NodeId> seen_;   // of the current chain
  std::set<NodeId> taken_;  // of the chains found so far
};

// Returns whether two numbers are the same apart from rounding by exporters.
bool IsSameNumber(double one, double other);

// One finder per kind: returns the chain with this characteristic node, if there is one.
// d / sqrt(mean(d^2) + epsilon), or d * (1 / sqrt(...)), with d = x - mean(x) or x itself.
std::optional<NodeChain> FindNormalization(ChainWalk& walk, const Node& quotient);
// exp(x - max(x)) / sum(exp(x - max(x))), possibly without the maximum.
std::optional<NodeChain> FindSoftmax(ChainWalk& walk, const Node& quotient);
// x * (1 + erf(x / sqrt(2))) / 2, x * (1 + tanh(c * (x + 0.044715 * x^3))) / 2, and x *
// tanh(softplus(x)), with factors and addends in any order.
std::optional<NodeChain> FindActivation(ChainWalk& walk, const Node& function);

}  // namespace opledger
