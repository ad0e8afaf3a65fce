// Counting.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/model_summary.h"

#include "conversion/model/graph/scope_names.h"
#include "conversion/model/graph/signature.h"

namespace opledger {
namespace {

std::string ElementType(const std::optional<Dtype>& dtype) {
  return dtype ? DtypeName(*dtype) : "unknown";
}

std::string TypeOf(const Graph& graph, const std::vector<ValueId>& values) {
  for (const ValueId value : values) {
    if (value == kNone) continue;
    const ValueType& type = graph.values[value].type;
    return type.kind == ValueType::Kind::kTensor ? ElementType(type.dtype) : TypeText(type);
  }
  return {};
}

void CountNode(const Graph& graph, const Node& node, ModelSummary& summary) {
  OperatorSummary& op = summary.operators[QualifiedName(node.domain, node.op)];
  ++op.nodes;
  if (graph.Called(node) != kNone) op.note = "a function of the model: its body decides";
  const std::string type = TypeOf(graph, node.inputs.empty() ? node.outputs : node.inputs);
  ++op.types[type.empty() ? "none" : type];
  if (node.domain.empty() && (node.op == "Cast" || node.op == "CastLike")) {
    ++summary.casts[TypeOf(graph, node.inputs) + " -> " + TypeOf(graph, node.outputs)];
  }
}

void CountTensor(const Tensor& tensor, ModelSummary& summary) {
  ParameterSummary& of_type = summary.parameters[ElementType(tensor.dtype)];
  ++of_type.tensors;
  of_type.numbers += tensor.elements;
  std::uint64_t bytes = 0;
  const int bits = tensor.dtype ? DtypeBits(*tensor.dtype) : 0;
  if (tensor.length) {
    bytes = *tensor.length;
  } else if (tensor.storage == Tensor::Storage::kRaw) {
    bytes = tensor.data.size();
  } else if (bits <= 0 ||
             __builtin_mul_overflow(tensor.elements, static_cast<std::uint64_t>(bits), &bytes)) {
    bytes = 0;
  } else {
    bytes = bytes / 8 + (bytes % 8 != 0);
  }
  of_type.bytes += bytes;
  if (tensor.storage == Tensor::Storage::kExternal) summary.external[tensor.location] += bytes;
}

}  // namespace

ModelSummary Summarise(const Graph& graph) {
  ModelSummary summary;
  for (const auto& [domain, version] : graph.opsets) {
    summary.opsets.emplace_back(domain.empty() ? "ai.onnx" : std::string(domain), version);
  }
  summary.nodes = graph.nodes.size();
  const auto border = [&](const std::vector<ValueId>& values, auto& out) {
    for (const ValueId value : values) {
      if (value == kNone) continue;
      out.emplace_back(std::string(graph.values[value].name), TypeText(graph.values[value].type));
    }
  };
  border(graph.scopes[0].inputs, summary.inputs);
  border(graph.scopes[0].outputs, summary.outputs);
  for (const Node& node : graph.nodes) CountNode(graph, node, summary);
  for (const Tensor& tensor : graph.tensors) CountTensor(tensor, summary);
  const std::vector<std::string> names = ScopeNames(graph);
  for (std::size_t i = 1; i < graph.scopes.size(); ++i) {
    summary.scopes.emplace_back(names[i], graph.scopes[i].nodes.size());
  }
  return summary;
}

void Classify(const PrecisionList& list, ModelSummary& summary) {
  summary.target = DtypeName(list.target_dtype);
  for (const auto* entries : {&list.inherited, &list.entries}) {
    for (const ListEntry& entry : *entries) {
      const auto found = summary.operators.find(entry.op);
      if (found == summary.operators.end()) continue;
      found->second.policy = PolicyName(entry.policy);
      found->second.place = entry.location;
      found->second.note = entry.reason;
      if (!entry.note.empty()) {
        found->second.note += (entry.reason.empty() ? "" : ": ") + entry.note;
      }
    }
  }
}

}  // namespace opledger
