// Lists the kinds of chains by their characteristic operators.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/chains/chains.h"

#include <algorithm>
#include <iterator>

#include "conversion/model/chains/chain_walk.h"

namespace opledger {
namespace {

struct ChainKind {
  const char* what;
  bool (*begins_at)(std::string_view op);
  std::optional<NodeChain> (*find)(ChainWalk& walk, const Node& node);
};

bool IsQuotient(std::string_view op) { return op == "Div" || op == "Mul"; }
bool IsFunction(std::string_view op) { return op == "Erf" || op == "Tanh"; }

constexpr ChainKind kKinds[] = {
    {"LayerNormalization, RMSNormalization", IsQuotient, FindNormalization},
    {"Softmax", IsQuotient, FindSoftmax},
    {"Gelu, Mish", IsFunction, FindActivation},
};

}  // namespace

std::vector<NodeChain> FindChains(const OnnxModel& model) {
  ChainWalk walk(model);
  std::vector<NodeChain> found;
  for (const Node& node : model.graph.nodes) {
    if (!node.domain.empty() || node.inputs.empty()) continue;
    std::optional<NodeChain> chain;
    for (auto kind = std::begin(kKinds); kind != std::end(kKinds) && !chain; ++kind) {
      if (kind->begins_at(node.op)) chain = kind->find(walk, node);
    }
    if (chain) found.push_back(std::move(*chain));
  }
  return found;
}

}  // namespace opledger
