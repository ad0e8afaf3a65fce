// Finds the next version of each operator that could run low.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/label/opset_advice.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace opledger {
namespace {

constexpr std::int64_t kNewest = 64;  // an upper bound on any opset

// Returns the first opset after `signature` whose version of the operator accepts `target`, with
// the inputs that the list keeps in float32. Returns 0 if there is none.
std::int64_t FirstThatTakes(const Graph& graph, const Node& node, const Signature& signature,
                            const NodeLabel& label, Dtype target, Signatures& signatures) {
  const Signature* before = &signature;
  for (std::int64_t opset = signature.since + 1; opset <= kNewest; ++opset) {
    const Signature* next = signatures.Find("", node.op, opset);
    if (next == nullptr || next == before) continue;
    before = next;
    const LoweredOperands lowered =
        FindLoweredOperands(graph, node, *next, target, label.keep_fp32_inputs);
    if (!lowered.obstacle.empty()) continue;
    // Something must become low. Inputs that moved to another position do not count.
    bool some = std::any_of(lowered.outputs.begin(), lowered.outputs.end(), std::identity());
    for (std::size_t i = 0; i < lowered.inputs.size(); ++i) {
      const Parameter* was = Signature::At(signature.inputs, i);
      const Parameter* is = Signature::At(next->inputs, i);
      some =
          some || (lowered.inputs[i] && was != nullptr && is != nullptr && was->name == is->name);
    }
    return some ? opset : 0;
  }
  return 0;
}

struct Advice {
  std::int64_t opset = 0;  // 0: no opset helps
  int nodes = 0;
};

// By operator and version: "Conv.11".
std::map<std::string, Advice> FindAdvice(const Graph& graph, const Typing& typing,
                                         const std::vector<NodeLabel>& labels, Dtype target,
                                         Signatures& signatures) {
  std::map<std::string, Advice> advice;
  for (std::size_t id = 0; id < labels.size(); ++id) {
    const Node& node = graph.nodes[id];
    const Signature* signature = typing.signatures[id];
    if (signature == nullptr || !node.domain.empty()) continue;
    if (labels[id].label != Label::kFp32 || !labels[id].accepted_later) continue;
    const std::string key = std::string(node.op) + "." + std::to_string(signature->since);
    const auto [place, added] = advice.try_emplace(key);
    if (added) {
      place->second.opset = FirstThatTakes(graph, node, *signature, labels[id], target, signatures);
    }
    ++place->second.nodes;
  }
  return advice;
}

}  // namespace

std::string OpsetAdvice(const Graph& graph, const Typing& typing,
                        const std::vector<NodeLabel>& labels, Dtype target,
                        Signatures& signatures) {
  std::string text;
  for (const auto& [key, found] : FindAdvice(graph, typing, labels, target, signatures)) {
    if (found.opset == 0) continue;
    text += "  " + key.substr(0, key.find('.')) + ": " + std::to_string(found.nodes) +
            (found.nodes == 1 ? " node stays" : " nodes stay") + " in float32; " +
            DtypeName(target) + " requires opset " + std::to_string(found.opset) + "\n";
  }
  return text;
}

std::vector<std::int64_t> BetterOpsets(const Graph& graph, const Typing& typing,
                                       const std::vector<NodeLabel>& labels, Dtype target,
                                       Signatures& signatures) {
  std::set<std::int64_t, std::greater<>> opsets;
  for (const auto& [key, found] : FindAdvice(graph, typing, labels, target, signatures)) {
    if (found.opset != 0) opsets.insert(found.opset);
  }
  const bool wanted = CountLowerable(labels) > 0 || !opsets.empty();
  std::int64_t opset = graph.OpsetIn(0);
  if (wanted && !CastMakes(opset, target, signatures)) {
    while (opset < kNewest && !CastMakes(opset, target, signatures)) ++opset;
    opsets.insert(opset);
  }
  return {opsets.begin(), opsets.end()};
}

bool CastMakes(std::int64_t opset, Dtype target, Signatures& signatures) {
  const Signature* cast = signatures.Find("", "Cast", opset);
  return cast != nullptr && cast->outputs.size() == 1 && cast->outputs[0].variable >= 0 &&
         cast->variables[cast->outputs[0].variable].Allows(target);
}

}  // namespace opledger
