// Finds e^x / sum(e^x), usually with x - max(x) for x, which is Softmax.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/chains/chain_walk.h"

namespace opledger {

std::optional<NodeChain> FindSoftmax(ChainWalk& walk, const Node& quotient) {
  for (const int at : {1, 0}) {
    const auto division = walk.BeginDivision(quotient, at);
    if (!division) continue;
    const ValueId powers = division->dividend;
    const Node* sum = walk.Producer(division->divisor, "ReduceSum");
    const Node* power = walk.Producer(powers, "Exp");
    if (sum == nullptr || power == nullptr || sum->inputs[0] != powers) continue;
    NodeChain chain;
    chain.op = "Softmax";
    chain.opset = 13;  // earlier versions flatten the axes from the first one on
    chain.sums = true;
    chain.axis = walk.ReducedAxis(*sum);
    chain.inputs = {power->inputs[0]};
    const Node* centred = walk.ProducerOf(power->inputs[0]);
    const bool difference =
        centred != nullptr && centred->op == "Sub" && centred->inputs.size() == 2;
    const Node* maximum = difference ? walk.ProducerOf(centred->inputs[1]) : nullptr;
    const bool centres = maximum != nullptr && maximum->op == "ReduceMax" &&
                         maximum->inputs[0] == centred->inputs[0] &&
                         walk.ReducedAxis(*maximum) == chain.axis;
    if (centres) {
      walk.Take(*centred);
      walk.Take(*maximum);
      chain.inputs = {centred->inputs[0]};
    }
    // Without the maximum, the operator would return finite numbers where these nodes overflow.
    chain.replaceable = centres && chain.axis;
    return walk.Close(std::move(chain), quotient);
  }
  return std::nullopt;
}

}  // namespace opledger
