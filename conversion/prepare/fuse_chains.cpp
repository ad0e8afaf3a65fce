// Replaces the last node of a chain by the operator and removes the others.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/fuse_chains.h"

#include <cstring>

#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/onnx/message_edits.h"
#include "conversion/model/onnx/onnx_fields.h"

namespace opledger {
namespace {

std::string FloatAttribute(std::string_view name, float number) {
  std::string attribute;
  AppendBytesField(attribute, attribute_field::kName, name);
  constexpr std::uint64_t kFixed32 = 5;  // the wire type
  AppendVarint(attribute, std::uint64_t{attribute_field::kFloat} << 3U | kFixed32);
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  attribute += bytes;
  AppendVarintField(attribute, attribute_field::kType, attribute_type::kFloat);
  return attribute;
}

std::string TextAttribute(std::string_view name, std::string_view text) {
  std::string attribute;
  AppendBytesField(attribute, attribute_field::kName, name);
  AppendVarintField(attribute, attribute_field::kType, attribute_type::kString);
  AppendBytesField(attribute, attribute_field::kString, text);
  return attribute;
}

std::string FusedNode(const Graph& graph, const NodeChain& chain) {
  const Node& last = graph.nodes[chain.nodes.back()];
  std::string node;
  for (const ValueId input : chain.inputs) {
    AppendBytesField(node, node_field::kInput, graph.values[input].name);
  }
  AppendBytesField(node, node_field::kOutput, graph.values[last.outputs[0]].name);
  if (!last.name.empty()) AppendBytesField(node, node_field::kName, last.name);
  AppendBytesField(node, node_field::kOpType, chain.op);
  if (chain.axis) {
    AppendBytesField(node, node_field::kAttribute, IntegerAttribute("axis", *chain.axis));
  }
  if (chain.epsilon) {
    AppendBytesField(node, node_field::kAttribute, FloatAttribute("epsilon", *chain.epsilon));
  }
  if (chain.tanh) {
    AppendBytesField(node, node_field::kAttribute, TextAttribute("approximate", "tanh"));
  }
  return node;
}

}  // namespace

EditList FuseChains(const OnnxModel& model, const std::vector<NodeChain>& chains) {
  const Graph& graph = model.graph;
  MessageEdits edits(model.places.messages);
  for (const NodeChain& chain : chains) {
    const NodeId last = chain.nodes.back();
    for (const NodeId id : chain.nodes) {
      if (id == last) continue;
      edits.Remove(model.places.nodes[id]);
      for (const MessageId declaration : model.places.declarations[graph.nodes[id].outputs[0]]) {
        edits.Remove(declaration);
      }
    }
    NewBytes bytes;
    AppendBytesField(bytes.bytes, NodeFieldOf(graph, graph.nodes[last].scope),
                     FusedNode(graph, chain));
    const MessageSpan& place = model.places.messages[model.places.nodes[last]];
    edits.Replace(place.parent, place.whole, std::move(bytes));
  }
  return edits.Finish();
}

}  // namespace opledger
