// Counts what a model contains and formats it as text, in columns, or as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/model_summary.h"

#include <algorithm>

#include "conversion/model/graph/graph.h"
#include "conversion/model/graph/signature.h"
#include "registry/json/json_write.h"
#include "registry/text/text.h"

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

std::vector<NodeSummary> SummariseNodes(const Graph& graph, const Typing& typing,
                                        const ConditionFacts& facts) {
  const std::vector<std::string> scopes = ScopeNames(graph);
  std::vector<NodeSummary> all;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    const Node& node = graph.nodes[id];
    NodeSummary& summary = all.emplace_back();
    summary.name = graph.NameOf(id);
    summary.op = QualifiedName(node.domain, node.op);
    summary.scope = scopes[node.scope];
    summary.facts = FactsOf(graph, id, typing.signatures[id], &facts);
    for (const ValueId input : node.inputs) {
      summary.values.push_back(input == kNone ? "" : std::string(graph.values[input].name));
      summary.types.push_back(input == kNone ? "" : TypeText(graph.values[input].type));
    }
    for (const ValueId output : node.outputs) {
      summary.outputs.push_back(output == kNone ? "" : std::string(graph.values[output].name));
    }
  }
  return all;
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

namespace {

constexpr std::size_t kShown = 20;  // inputs, outputs, inner graphs

using Row = std::vector<std::string>;

// Formats rows in aligned columns. The last column is not padded.
std::string Columns(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += " " + row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - row[i].size() + 1, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string Types(const OperatorSummary& op) {
  std::string text;
  for (const auto& [type, nodes] : op.types) {
    text += (text.empty() ? "" : ", ") + type;
    if (op.types.size() > 1) text += " x" + std::to_string(nodes);
  }
  return text;
}

template <typename Pairs>
std::string Border(const char* title, const Pairs& pairs) {
  std::vector<Row> rows;
  for (const auto& [name, type] : pairs) {
    if (rows.size() < kShown) rows.push_back({Printable(name), type});
  }
  std::string text = std::string(title) + "\n" + Columns(rows);
  if (pairs.size() > kShown) {
    text += "  and " + std::to_string(pairs.size() - kShown) + " more\n";
  }
  return pairs.empty() ? std::string() : text;
}

std::string Operators(const ModelSummary& summary) {
  std::vector<std::pair<std::string, const OperatorSummary*>> order;
  for (const auto& [name, op] : summary.operators) order.emplace_back(name, &op);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second->nodes > b.second->nodes; });
  std::vector<Row> rows;
  std::size_t unlisted = 0;
  for (const auto& [name, op] : order) {
    const bool without = op->policy.empty() && op->note.empty();
    unlisted += without ? 1 : 0;
    rows.push_back({Printable(name), std::to_string(op->nodes), Types(*op),
                    without              ? "UNLISTED"
                    : op->policy.empty() ? "-"
                                         : op->policy,
                    op->place.line == 0 ? "" : "line " + std::to_string(op->place.line), op->note});
  }
  std::string text =
      "operators, and their policies in " + Printable(summary.list) + "\n" + Columns(rows);
  if (unlisted > 0) {
    text += "  " + Counted(unlisted, "operator") +
            " not in the list; unlisted operators keep their types\n";
  }
  return text;
}

}  // namespace

namespace {

std::string NodesText(const std::vector<NodeSummary>& nodes) {
  std::vector<Row> rows;
  for (const NodeSummary& node : nodes) {
    std::vector<std::string> words;
    for (const auto& [name, text] : node.facts.attributes) {
      if (!text.empty()) words.push_back(Printable(name + "=" + text));
    }
    rows.push_back({Printable(node.name), Printable(node.op), Join(words, " ")});
  }
  return nodes.empty() ? std::string() : "nodes\n" + Columns(rows);
}

void WriteInput(const NodeSummary& node, std::size_t at, JsonWriter& json) {
  const InputFacts& input = node.facts.inputs[at];
  json.BeginCompactObject();
  json.Field("name", input.name);
  json.Field("value", node.values[at]);
  json.Field("type", node.types[at]);
  json.Field("initializer", input.initializer);
  if (input.dimensions) json.CompactArray("shape", *input.dimensions);
  json.EndObject();
}

void WriteNodes(const std::vector<NodeSummary>& nodes, JsonWriter& json) {
  json.BeginArray("each");
  for (const NodeSummary& node : nodes) {
    json.BeginObject();
    json.Field("name", node.name);
    json.Field("operator", node.op);
    json.Field("scope", node.scope);
    json.BeginObject("attributes");
    for (const auto& [name, text] : node.facts.attributes) json.Field(name, text);
    json.EndObject();
    json.BeginArray("inputs");
    for (std::size_t i = 0; i < node.facts.inputs.size(); ++i) WriteInput(node, i, json);
    json.EndArray();
    json.CompactArray("outputs", node.outputs);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string RenderSummaryText(const ModelSummary& summary) {
  std::string text = Printable(summary.model) + ": " + summary.format + ", " +
                     std::to_string(summary.file_bytes) + " bytes, " +
                     Counted(summary.nodes, "node") + "\n";
  std::vector<Row> rows;
  for (const auto& [domain, version] : summary.opsets) {
    rows.push_back({Printable(domain), std::to_string(version)});
  }
  if (!rows.empty()) text += "opsets\n" + Columns(rows);
  text += Border("inputs", summary.inputs) + Border("outputs", summary.outputs);
  text += Operators(summary);
  rows.clear();
  for (const auto& [types, nodes] : summary.casts) rows.push_back({types, std::to_string(nodes)});
  if (!rows.empty()) text += "casts in the model\n" + Columns(rows);
  rows.clear();
  for (const auto& [type, parameters] : summary.parameters) {
    rows.push_back({type, Counted(parameters.tensors, "tensor"),
                    Counted(parameters.numbers, "element"), Counted(parameters.bytes, "byte")});
  }
  if (!rows.empty()) text += "parameters and constants\n" + Columns(rows);
  rows.clear();
  for (const auto& [file, bytes] : summary.external) {
    rows.push_back({Printable(file), Counted(bytes, "byte")});
  }
  if (!rows.empty()) text += "external data\n" + Columns(rows);
  std::vector<std::pair<std::string, std::string>> scopes;
  for (const auto& [name, nodes] : summary.scopes)
    scopes.emplace_back(name, Counted(nodes, "node"));
  text += Border("inner graphs and functions", scopes);
  if (summary.each) text += NodesText(*summary.each);
  return summary.values ? text + RenderValues(*summary.values) : text;
}

namespace {

// Writes an array of {"name": ..., KEY: ...}.
template <typename Pairs, typename Write>
void WriteNamed(const char* key, const Pairs& pairs, JsonWriter& json, const Write& write) {
  json.Records(key, pairs, [&](const auto& pair) {
    json.Field("name", pair.first);
    write(pair.second);
  });
}

void WriteOperator(const OperatorSummary& op, JsonWriter& json) {
  json.Field("nodes", op.nodes);
  json.BeginObject("types");
  for (const auto& [type, nodes] : op.types) json.Field(type, nodes);
  json.EndObject();
  json.Key("policy");
  if (op.policy.empty()) {
    json.Null();
  } else {
    json.String(op.policy);
    json.Field("line", op.place.line);
  }
  if (!op.note.empty()) json.Field("note", op.note);
}

}  // namespace

std::string RenderSummaryJson(const ModelSummary& summary) {
  std::string text;
  JsonWriter json(text, 2);
  json.BeginObject();
  json.Field("schema", "opledger-model/1");
  json.Field("model", summary.model);
  json.Field("format", summary.format);
  json.Field("file_bytes", summary.file_bytes);
  json.Field("nodes", summary.nodes);
  json.Field("list", summary.list);
  json.Field("target_dtype", summary.target);
  WriteNamed("opsets", summary.opsets, json,
             [&](std::int64_t version) { json.Field("version", version); });
  const auto type = [&](const std::string& text_of) { json.Field("type", text_of); };
  WriteNamed("inputs", summary.inputs, json, type);
  WriteNamed("outputs", summary.outputs, json, type);
  WriteNamed("operators", summary.operators, json,
             [&](const OperatorSummary& op) { WriteOperator(op, json); });
  WriteNamed("casts", summary.casts, json, [&](std::size_t nodes) { json.Field("nodes", nodes); });
  WriteNamed("parameters", summary.parameters, json, [&](const ParameterSummary& parameters) {
    json.Field("tensors", parameters.tensors);
    json.Field("numbers", parameters.numbers);
    json.Field("bytes", parameters.bytes);
  });
  WriteNamed("external", summary.external, json,
             [&](std::uint64_t bytes) { json.Field("bytes", bytes); });
  WriteNamed("scopes", summary.scopes, json,
             [&](std::size_t nodes) { json.Field("nodes", nodes); });
  if (summary.each) WriteNodes(*summary.each, json);
  if (summary.values) WriteValues(*summary.values, json);
  json.EndObject();
  return text + '\n';
}

}  // namespace opledger
