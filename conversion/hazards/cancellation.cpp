// Finds E[x^2] - E[x]^2 and |a|^2 + |b|^2 - 2ab, whose result may be much smaller than the
// operands. The analysis does not know how large x is, so this matches a pattern: a difference of
// sums of squares.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/hazards.h"

namespace opledger {
namespace {

constexpr int kMaxCarriers = 32;  // nodes from a square to the difference

class Cancellation {
 public:
  explicit Cancellation(HazardContext& context) : context_(context), graph_(context.graph) {}

  void Run() {
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
      const Node& node = graph_.nodes[id];
      if (!IsOneOf(node, {"Sub", "Add"}) || node.inputs.size() != 2) continue;
      const bool sub = node.op == "Sub";
      const bool cancels = sub ? IsSquare(node.inputs[0], 0) && !IsConstant(node.inputs[1])
                               : (IsSquare(node.inputs[0], 0) && IsNegative(node.inputs[1])) ||
                                     (IsSquare(node.inputs[1], 0) && IsNegative(node.inputs[0]));
      if (!cancels) continue;
      const std::string reason = "'" + graph_.NameOf(id) +
                                 "' subtracts from a sum of squares, and " +
                                 DtypeName(context_.target) + " loses the digits that remain";
      RaiseNode(context_, id, LabelRule::kCancellation, reason);
      for (const ValueId input : node.inputs) RaiseSquares(input, reason, 0);
    }
  }

 private:
  bool IsConstant(ValueId value) const {
    return value == kNone || context_.exact.Of(value).elements != nullptr ||
           context_.exact.Of(value).IsPoint();
  }

  // Returns the node that computes the value if it only adds, scales or moves elements; kNone
  // otherwise.
  NodeId CarrierOf(ValueId value) const {
    const NodeId producer = value == kNone ? kNone : graph_.values[value].producer;
    if (producer == kNone) return kNone;
    const Node& node = graph_.nodes[producer];
    const bool scales = IsOneOf(node, {"Mul", "Div"}) && node.inputs.size() == 2 &&
                        (IsConstant(node.inputs[0]) || IsConstant(node.inputs[1]));
    const bool carries =
        IsOneOf(node, {"ReduceMean", "ReduceSum", "GlobalAveragePool", "AveragePool", "Identity",
                       "Reshape", "Unsqueeze", "Squeeze", "Transpose", "Expand", "Slice", "Gather",
                       "Dropout", "Flatten", "Neg", "Concat", "Split", "Tile", "Add"});
    return scales || carries ? producer : kNone;
  }

  static bool Squares(const Node& node) {
    return IsOneOf(node, {"ReduceSumSquare"}) ||
           (IsOneOf(node, {"Mul"}) && node.inputs.size() == 2 && node.inputs[0] == node.inputs[1]);
  }

  // Returns whether the value is a square or a sum of squares only.
  bool IsSquare(ValueId value, int depth) const {
    if (value == kNone || depth == kMaxCarriers) return false;
    const NodeId producer = graph_.values[value].producer;
    if (producer == kNone) return false;
    const Node& node = graph_.nodes[producer];
    if (Squares(node)) return true;
    if (IsOneOf(node, {"Pow"}) && node.inputs.size() == 2) {
      const Range& exponent = context_.exact.Of(node.inputs[1]).all;
      return exponent.IsPoint() && exponent.low == 2;
    }
    if (CarrierOf(value) == kNone) return false;
    if (node.op == "Add") {
      return IsSquare(node.inputs[0], depth + 1) && IsSquare(node.inputs[1], depth + 1);
    }
    const std::size_t carried = IsConstant(node.inputs[0]) ? node.inputs.size() - 1 : 0;
    return IsSquare(node.inputs[carried], depth + 1);
  }

  // Returns whether the value is another one multiplied by a negative number.
  bool IsNegative(ValueId value) const {
    for (int depth = 0; depth < kMaxCarriers; ++depth) {
      const NodeId producer = CarrierOf(value);
      if (producer == kNone) return false;
      const Node& node = graph_.nodes[producer];
      if (node.op == "Neg") return true;
      if (node.op == "Add") return false;
      const bool scales = node.op == "Mul" || node.op == "Div";
      const bool first = IsConstant(node.inputs[0]);
      if (scales && context_.exact.Of(node.inputs[first ? 0 : 1]).all.high < 0) return true;
      value = node.inputs[scales && first ? 1 : 0];
    }
    return false;
  }

  // Raises the nodes from the difference back to the squares, and to the means that are squared.
  void RaiseSquares(ValueId value, const std::string& reason, int depth) {
    if (value == kNone || depth == kMaxCarriers || IsConstant(value)) return;
    const NodeId producer = graph_.values[value].producer;
    if (producer == kNone) return;
    const Node& node = graph_.nodes[producer];
    const bool squares = Squares(node) || IsOneOf(node, {"Pow", "Mul"});
    if (!squares && CarrierOf(value) == kNone) return;
    RaiseNode(context_, producer, LabelRule::kCancellation, reason);
    for (const ValueId input : node.inputs) {
      // Raise the input of a square only if it is a mean or sum; other data stays as it is.
      const NodeId maker = input == kNone ? kNone : graph_.values[input].producer;
      const bool mean = maker != kNone && IsOneOf(graph_.nodes[maker],
                                                  {"ReduceMean", "ReduceSum", "GlobalAveragePool"});
      if (!squares || mean) RaiseSquares(input, reason, depth + 1);
    }
  }

  HazardContext& context_;
  const Graph& graph_;
};

}  // namespace

void RaiseCancellation(HazardContext& context) { Cancellation(context).Run(); }

}  // namespace opledger
