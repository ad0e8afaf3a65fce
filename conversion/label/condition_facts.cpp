// Starts from defaults, which the node's own attributes replace.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/label/condition_facts.h"

#include <algorithm>
#include <charconv>

namespace opledger {

AskedFacts::AskedFacts(const PrecisionList& list) {
  for (const auto* entries : {&list.entries, &list.inherited}) {
    for (const ListEntry& entry : *entries) {
      if (entry.clauses.empty()) continue;
      operators.push_back(entry.op);
      inputs = inputs || std::any_of(entry.clauses.begin(), entry.clauses.end(),
                                     [](const Clause& clause) { return !clause.input.empty(); });
    }
  }
  std::sort(operators.begin(), operators.end());
}

bool AskedFacts::Asks(const Node& node) const {
  return std::binary_search(operators.begin(), operators.end(),
                            QualifiedName(node.domain, node.op));
}

std::string AttributeText(const Attribute& attribute) {
  switch (attribute.kind) {
    case Attribute::Kind::kInt:
      return std::to_string(attribute.integer);
    case Attribute::Kind::kString:
      return std::string(attribute.text);
    case Attribute::Kind::kFloat: {
      char text[32];  // shortest text that reads back as the same number
      const auto end = std::to_chars(text, text + sizeof text, attribute.number).ptr;
      return {text, end};
    }
    default:
      return {};
  }
}

NodeFacts FactsOf(const Graph& graph, NodeId node, const Signature* signature,
                  const ConditionFacts* facts) {
  const Node& asked = graph.nodes[node];
  NodeFacts result;
  if (signature != nullptr) result.attributes = signature->defaults;
  for (const Attribute& attribute : asked.attributes) {
    std::string& text = result.attributes[std::string(attribute.name)];
    text = AttributeText(attribute);
    if (facts == nullptr || attribute.kind != Attribute::Kind::kList) continue;
    const auto list = facts->lists.find({node, std::string(attribute.name)});
    if (list != facts->lists.end()) text = list->second;
  }
  if (facts == nullptr || facts->initializers.empty()) return result;
  for (std::size_t i = 0; i < asked.inputs.size(); ++i) {
    InputFacts& input = result.inputs.emplace_back();
    // If several inputs have the same name, the first one gets it.
    if (signature != nullptr && i < signature->inputs.size())
      input.name = signature->inputs[i].name;
    const ValueId value = asked.inputs[i];
    input.given = value != kNone;
    if (!input.given) continue;
    input.initializer = facts->initializers[value];
    input.dimensions = facts->dimensions[value];
  }
  return result;
}

}  // namespace opledger
