// Finds LayerNormalization and RMSNormalization.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/chains/chain_walk.h"

namespace opledger {
namespace {

// Returns whether the reduction is over the last axis only.
bool IsMean(const ChainWalk& walk, const Node& node) { return walk.ReducedAxis(node) == -1; }

bool IsSquareOf(const ChainWalk& walk, const Node& node, ValueId& of) {
  if (node.inputs.size() != 2) return false;
  of = node.inputs[0];
  if (node.op == "Mul") return node.inputs[0] == node.inputs[1];
  return node.op == "Pow" && walk.IsNumber(node.inputs[1], 2);
}

// x - mean(x)
bool IsCentred(ChainWalk& walk, const Node& node, ValueId& of) {
  if (node.inputs.size() != 2) return false;
  const Node* mean = walk.Producer(node.inputs[1], "ReduceMean");
  if (mean == nullptr || mean->inputs[0] != node.inputs[0] || !IsMean(walk, *mean)) return false;
  of = node.inputs[0];
  return true;
}

// Finds the product or sum with a constant along the last axis that follows the node. Returns
// nullptr if there is none.
const Node* AddParameter(ChainWalk& walk, const Node& behind, std::string_view op,
                         NodeChain& chain) {
  const ValueId result = ChainWalk::Output(behind);
  const Node* reader = result == kNone ? nullptr : walk.OnlyReader(result);
  if (reader == nullptr || reader->op != op) return nullptr;
  const ValueId parameter = ChainWalk::OtherInput(*reader, result);
  if (parameter == kNone || !walk.IsAlongLastAxis(parameter, chain.inputs[0])) return nullptr;
  chain.inputs.push_back(parameter);
  chain.affine.push_back(walk.IdOf(*reader));
  walk.Take(*reader);
  return reader;
}

// Returns the normalization with this divisor. For RMSNormalization, the divisor contains the
// squares of `dividend`.
std::optional<NodeChain> WithDivisor(ChainWalk& walk, ValueId divisor, ValueId dividend) {
  const Node* root = walk.Producer(divisor, "Sqrt");
  const Node* sum = root == nullptr ? nullptr : walk.Producer(root->inputs[0], "Add");
  if (sum == nullptr || sum->inputs.size() != 2) return std::nullopt;
  const int variance_at = walk.Number(sum->inputs[1]) ? 0 : 1;
  const auto epsilon = walk.Number(sum->inputs[1 - variance_at]);
  const Node* mean = walk.Producer(sum->inputs[variance_at], "ReduceMean");
  if (!epsilon || *epsilon < 0 || mean == nullptr || !IsMean(walk, *mean)) return std::nullopt;
  const Node* square = walk.Producer(mean->inputs[0], "Pow");
  if (square == nullptr) square = walk.Producer(mean->inputs[0], "Mul");
  ValueId squared = kNone;
  if (square == nullptr || !IsSquareOf(walk, *square, squared)) return std::nullopt;
  NodeChain chain;
  chain.sums = true;
  chain.epsilon = static_cast<float>(*epsilon);
  chain.axis = -1;
  const Node* centred = walk.Producer(squared, "Sub");
  const Node* other = walk.Producer(dividend, "Sub");
  ValueId of = kNone;
  ValueId of_other = kNone;
  if (centred != nullptr && other != nullptr && IsCentred(walk, *centred, of) &&
      IsCentred(walk, *other, of_other) && of == of_other) {
    chain.op = "LayerNormalization";
    chain.opset = 17;
    chain.inputs = {of};
    return chain;
  }
  if (squared != dividend || centred != nullptr) return std::nullopt;
  chain.op = "RMSNormalization";
  chain.opset = 23;
  chain.inputs = {dividend};
  return chain;
}

}  // namespace

std::optional<NodeChain> FindNormalization(ChainWalk& walk, const Node& quotient) {
  for (const int at : {1, 0}) {
    const auto division = walk.BeginDivision(quotient, at);
    if (!division) continue;
    auto chain = WithDivisor(walk, division->divisor, division->dividend);
    if (!chain) continue;
    const Node* last = AddParameter(walk, quotient, "Mul", *chain);
    chain->replaceable = last != nullptr;  // the operator needs a scale
    if (last != nullptr && chain->op == "LayerNormalization") {
      if (const Node* sum = AddParameter(walk, *last, "Add", *chain)) last = sum;
    }
    return walk.Close(std::move(*chain), last == nullptr ? quotient : *last);
  }
  return std::nullopt;
}

}  // namespace opledger
