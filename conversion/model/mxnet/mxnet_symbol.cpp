// Checks every index against its limit before use. A node refers to earlier ones only.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/mxnet/mxnet_symbol.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/mxnet/output_names.h"
#include "registry/json/json_fields.h"

namespace opledger {
namespace {

// More outputs than any operator has. Outputs are values of the graph, used or not.
constexpr std::int64_t kMaxOutputs = 1 << 16;

// Names of the attributes that hold an operator's subgraphs, in file order.
struct SubgraphNames {
  std::string_view op;
  std::vector<std::string_view> names;
};

const std::vector<SubgraphNames>& ControlFlow() {
  static const std::vector<SubgraphNames> operators = {
      {"_foreach", {"body"}},
      {"_npx_foreach", {"body"}},
      {"_while_loop", {"cond", "body"}},
      {"_npx_while_loop", {"cond", "body"}},
      {"_cond", {"cond", "then_branch", "else_branch"}},
      {"_npx_cond", {"cond", "then_branch", "else_branch"}},
  };
  return operators;
}

class SymbolReader {
 public:
  SymbolReader(MxnetSymbol& symbol, Diagnostics& diagnostics)
      : symbol_(symbol), graph_(symbol.graph), diagnostics_(diagnostics) {}

  bool Read() {
    const JsonValue& root = symbol_.document->root;
    JsonFields fields(*symbol_.document, root, "symbol", diagnostics_);
    TakeGraph(fields);
    const JsonValue* attributes = fields.Take("attrs");
    if (!fields.Finish() || (attributes != nullptr && !ReadVersion(*attributes))) return false;
    if (ReadScope(root, kNone) == kNone) return false;
    symbol_.auxiliary.resize(graph_.values.size());
    return true;
  }

 private:
  bool Error(const JsonValue& at, std::string message, std::string hint = {}) {
    return ErrorAt(*symbol_.document, at.span, std::move(message), std::move(hint), diagnostics_);
  }

  static void TakeGraph(JsonFields& fields) {
    fields.Require("nodes");
    fields.Take("arg_nodes");
    fields.Take("node_row_ptr");
    fields.Require("heads");
  }

  bool ReadVersion(const JsonValue& attributes) {
    const JsonValue* version = attributes.Find("mxnet_version");
    if (version == nullptr) return true;
    const bool pair = version->kind == JsonValue::Kind::kArray && version->items.size() == 2 &&
                      version->items[1].kind == JsonValue::Kind::kInteger;
    if (!pair) return Error(*version, "the version is not a pair such as [\"int\", 10500]");
    symbol_.version = version->items[1].integer;
    return true;
  }

  // Checks an array of integers below `limit`, such as arg_nodes. nullptr counts as an empty array.
  bool CheckNumbers(const JsonValue* array, const char* what, std::int64_t limit) {
    if (array == nullptr) return true;
    if (array->kind != JsonValue::Kind::kArray) {
      return Error(*array, std::string(what) + " is not an array");
    }
    for (const JsonValue& item : array->items) {
      if (item.kind != JsonValue::Kind::kInteger || item.integer < 0 || item.integer >= limit) {
        return Error(item, std::string(what) + " has an element that is out of range",
                     "elements are integers from 0 to " + std::to_string(limit - 1));
      }
    }
    return true;
  }

  // Returns kNone after an error.
  ScopeId ReadScope(const JsonValue& json, ScopeId parent) {
    const auto id = static_cast<ScopeId>(graph_.scopes.size());
    graph_.scopes.emplace_back().parent = parent;
    graph_.names.emplace_back();
    symbol_.scopes.emplace_back().json = &json;
    const JsonValue& nodes = *json.Find("nodes");
    if (nodes.kind != JsonValue::Kind::kArray) {
      Error(nodes, "nodes is not an array");
      return kNone;
    }
    const auto count = static_cast<std::int64_t>(nodes.items.size());
    const JsonValue* rows = json.Find("node_row_ptr");
    if (!CheckNumbers(json.Find("arg_nodes"), "arg_nodes", count) ||
        !CheckNumbers(rows, "node_row_ptr", (count + 1) * kMaxOutputs)) {
      return kNone;
    }
    for (const JsonValue& node : nodes.items) {
      if (!ReadEntry(node, id)) return kNone;
    }
    if (!ReadHeads(*json.Find("heads"), id)) return kNone;
    if (!CountOutputs(id, rows)) return kNone;
    MakeValues(id);
    for (std::size_t entry = 0; entry < symbol_.scopes[id].entries.size(); ++entry) {
      if (!ReadSubgraphs(id, entry)) return kNone;
    }
    return id;
  }

  bool ReadEntry(const JsonValue& json, ScopeId scope) {
    JsonFields fields(*symbol_.document, json, "node", diagnostics_);
    const JsonValue* op = fields.Require("op");
    const JsonValue* name = fields.Require("name");
    const JsonValue* inputs = fields.Take("inputs");
    const JsonValue* controls = fields.Take("control_deps");
    for (const char* key : {"attrs", "attr", "param"}) {
      if (!CheckTexts(fields.Take(key))) return false;
    }
    fields.Take("subgraphs");
    fields.Take("backward_source_id");
    if (!fields.Finish()) return false;
    for (const JsonValue* text : {op, name}) {
      if (text->kind != JsonValue::Kind::kString)
        return Error(*text, "the op or name of a node is not a string");
    }
    std::vector<MxnetEntry>& entries = symbol_.scopes[scope].entries;
    MxnetEntry entry;
    entry.json = &json;
    if (!ReadReferences(inputs, entries.size(), entry.inputs)) return false;
    if (!CheckNumbers(controls, "control_deps", static_cast<std::int64_t>(entries.size()))) {
      return false;
    }
    for (std::size_t i = 0; controls != nullptr && i < controls->items.size(); ++i) {
      entry.controls.push_back(static_cast<int>(controls->items[i].integer));
    }
    if (op->string == "null") {
      if (!entry.inputs.empty()) return Error(json, "a variable has no inputs");
    } else {
      entry.node = AddNode(json, scope);
    }
    entries.push_back(std::move(entry));
    return true;
  }

  bool CheckTexts(const JsonValue* attributes) {
    if (attributes == nullptr) return true;
    if (attributes->kind != JsonValue::Kind::kObject) {
      return Error(*attributes, "the attributes of a node are not an object");
    }
    for (const JsonMember& member : attributes->members) {
      if (member.value.kind != JsonValue::Kind::kString) {
        return Error(member.value, "an attribute is not a string",
                     "MXNet writes numbers as strings");
      }
    }
    return true;
  }

  bool ReadReferences(const JsonValue* array, std::size_t limit, std::vector<MxnetReference>& to) {
    if (array == nullptr) return true;
    if (array->kind != JsonValue::Kind::kArray)
      return Error(*array, "the references to outputs are not an array");
    for (const JsonValue& item : array->items) {
      const bool triple = item.kind == JsonValue::Kind::kArray &&
                          (item.items.size() == 2 || item.items.size() == 3) &&
                          std::all_of(item.items.begin(), item.items.end(), [](const JsonValue& v) {
                            return v.kind == JsonValue::Kind::kInteger;
                          });
      if (!triple) return Error(item, "expected [node, output, version]");
      const std::int64_t entry = item.items[0].integer;
      const std::int64_t output = item.items[1].integer;
      if (entry < 0 || entry >= static_cast<std::int64_t>(limit)) {
        return Error(item.items[0], "there is no node " + std::to_string(entry) + " before this",
                     "a node's inputs come before it");
      }
      if (output < 0 || output >= kMaxOutputs) {
        return Error(item.items[1], "no node has an output " + std::to_string(output));
      }
      to.push_back({static_cast<int>(entry), static_cast<int>(output),
                    item.items.size() == 3 && item.items[2].integer != 0, item.items[0].span,
                    item.items[1].span});
    }
    return true;
  }

  bool ReadHeads(const JsonValue& json, ScopeId scope) {
    MxnetScope& place = symbol_.scopes[scope];
    return ReadReferences(&json, place.entries.size(), place.heads);
  }

  NodeId AddNode(const JsonValue& json, ScopeId scope) {
    const auto id = static_cast<NodeId>(graph_.nodes.size());
    Node& node = graph_.nodes.emplace_back();
    node.op = json.Find("op")->string;
    node.name = json.Find("name")->string;
    node.scope = scope;
    graph_.scopes[scope].nodes.push_back(id);
    AddAttributes(MxnetAttributes(json), node);
    AddAttributes(json.Find("param"), node);
    return id;
  }

  // Skips attributes whose value is "None". If two objects have the same attribute, the first one
  // counts.
  static void AddAttributes(const JsonValue* attributes, Node& node) {
    if (attributes == nullptr) return;
    std::unordered_set<std::string_view> given;
    for (const Attribute& attribute : node.attributes) given.insert(attribute.name);
    for (const JsonMember& member : attributes->members) {
      if (member.value.string == "None" || given.count(member.key) > 0) continue;
      Attribute& attribute = node.attributes.emplace_back();
      attribute.name = member.key;
      attribute.kind = Attribute::Kind::kString;
      attribute.text = member.value.string;
    }
  }

  // Counts outputs by node_row_ptr, but at least as many as are read.
  bool CountOutputs(ScopeId scope, const JsonValue* rows) {
    std::vector<MxnetEntry>& entries = symbol_.scopes[scope].entries;
    if (rows != nullptr && rows->items.size() == entries.size() + 1) {
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::int64_t outputs = rows->items[i + 1].integer - rows->items[i].integer;
        if (outputs < 1 || outputs > kMaxOutputs) {
          return Error(rows->items[i + 1],
                       "node_row_ptr has elements that do not increase, or increase too much");
        }
        entries[i].outputs = static_cast<int>(outputs);
      }
    } else if (rows != nullptr) {
      return Error(*rows, "node_row_ptr must have one more element than there are nodes");
    }
    const auto count = [&](const MxnetReference& reference) {
      int& outputs = entries[reference.entry].outputs;
      outputs = std::max(outputs, reference.output + 1);
    };
    for (const MxnetEntry& entry : entries) {
      std::for_each(entry.inputs.begin(), entry.inputs.end(), count);
    }
    std::for_each(symbol_.scopes[scope].heads.begin(), symbol_.scopes[scope].heads.end(), count);
    for (const MxnetEntry& entry : entries) outputs_ += entry.outputs;
    if (outputs_ <= kMaxOutputs * 16) return true;
    return Error(*symbol_.scopes[scope].json, "too many outputs");
  }

  void MakeValues(ScopeId scope) {
    MxnetScope& place = symbol_.scopes[scope];
    for (MxnetEntry& entry : place.entries) {
      entry.first_value = static_cast<ValueId>(graph_.values.size());
      for (int output = 0; output < entry.outputs; ++output) MakeValue(scope, entry, output);
      Connect(place, entry);
    }
    for (const MxnetReference& head : place.heads) {
      graph_.scopes[scope].outputs.push_back(ValueOf(place, head));
    }
    AddInputs(scope);
  }

  void MakeValue(ScopeId scope, const MxnetEntry& entry, int output) {
    const auto id = static_cast<ValueId>(graph_.values.size());
    const std::string& name = entry.json->Find("name")->string;
    Value& value = graph_.values.emplace_back();
    value.scope = scope;
    value.producer = entry.node;
    if (entry.node == kNone) {
      value.name = name;
      value.is_input = true;
      value.type = Declared(*entry.json);
    } else {
      value.name = symbol_.names.emplace_back(
          name + MxnetOutputSuffix(graph_.nodes[entry.node], output, entry.outputs));
      graph_.nodes[entry.node].outputs.push_back(id);
    }
    graph_.names[scope].emplace(value.name, id);
  }

  static ValueType Declared(const JsonValue& variable) {
    const JsonValue* attributes = MxnetAttributes(variable);
    const JsonValue* text = attributes == nullptr ? nullptr : attributes->Find("__dtype__");
    if (text == nullptr) return {};
    int flag = -1;
    std::from_chars(text->string.data(), text->string.data() + text->string.size(), flag);
    const std::optional<Dtype> dtype = MxnetDtype(flag);
    if (!dtype) return {};
    return {ValueType::Kind::kTensor, dtype};
  }

  static ValueId ValueOf(const MxnetScope& place, const MxnetReference& reference) {
    return place.entries[reference.entry].first_value + reference.output;
  }

  void Connect(const MxnetScope& place, const MxnetEntry& entry) {
    for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
      const ValueId value = ValueOf(place, entry.inputs[i]);
      graph_.nodes[entry.node].inputs.push_back(value);
      graph_.values[value].uses.push_back({entry.node, static_cast<int>(i)});
      if (!entry.inputs[i].writes) continue;
      symbol_.auxiliary.resize(graph_.values.size());
      symbol_.auxiliary[value] = true;
    }
  }

  // Adds inputs in MXNet's order, to which the positions in attributes of loops refer.
  void AddInputs(ScopeId scope) {
    for (const int entry : MxnetOrder(symbol_.scopes[scope])) {
      const MxnetEntry& variable = symbol_.scopes[scope].entries[entry];
      if (variable.node == kNone) graph_.scopes[scope].inputs.push_back(variable.first_value);
    }
  }

  bool ReadSubgraphs(ScopeId scope, std::size_t index) {
    const MxnetEntry& entry = symbol_.scopes[scope].entries[index];
    const JsonValue* subgraphs = entry.json->Find("subgraphs");
    if (subgraphs == nullptr) return true;
    const NodeId id = entry.node;
    if (subgraphs->kind != JsonValue::Kind::kArray || id == kNone) {
      return Error(*subgraphs, "the subgraphs are not an array, or belong to a variable");
    }
    std::vector<ScopeId> scopes;
    for (const JsonValue& json : subgraphs->items) {
      JsonFields fields(*symbol_.document, json, "subgraph", diagnostics_);
      TakeGraph(fields);
      fields.Take("attrs");
      if (!fields.Finish()) return false;
      scopes.push_back(ReadScope(json, scope));
      if (scopes.back() == kNone) return false;
    }
    NameSubgraphs(graph_.nodes[id], scopes);
    return true;
  }

  static void NameSubgraphs(Node& node, const std::vector<ScopeId>& scopes) {
    const auto& known = ControlFlow();
    const auto named = std::find_if(known.begin(), known.end(), [&](const SubgraphNames& names) {
      return names.op == node.op && names.names.size() == scopes.size();
    });
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      Attribute& attribute = node.attributes.emplace_back();
      attribute.name = named == known.end() ? "subgraphs" : named->names[i];
      attribute.kind = Attribute::Kind::kGraph;
      attribute.scopes = {scopes[i]};
    }
  }

  MxnetSymbol& symbol_;
  Graph& graph_;
  Diagnostics& diagnostics_;
  std::int64_t outputs_ = 0;  // of all nodes so far
};

}  // namespace

std::optional<MxnetSymbol> ReadMxnetSymbol(SourceFile file, Diagnostics& diagnostics) {
  Diagnostics own;
  auto document = ParseJson(file.path(), std::string(file.bytes()), own);
  for (const Diagnostic& each : own.all()) diagnostics.Add(each);
  if (!document) return std::nullopt;
  MxnetSymbol symbol{
      std::move(file), std::make_unique<JsonDocument>(std::move(*document)), {}, {}, {}, 800, {}};
  if (!SymbolReader(symbol, diagnostics).Read()) return std::nullopt;
  return symbol;
}

const JsonValue* MxnetAttributes(const JsonValue& node) {
  const JsonValue* attributes = node.Find("attrs");
  return attributes != nullptr ? attributes : node.Find("attr");
}

std::vector<int> MxnetOrder(const MxnetScope& scope) {
  std::vector<int> order;
  std::vector<bool> seen(scope.entries.size());
  std::vector<std::pair<int, std::size_t>> stack;  // an entry and the number of its inputs seen
  const auto visit = [&](int entry) {
    if (seen[entry]) return;
    seen[entry] = true;
    stack.emplace_back(entry, 0);
  };
  for (const MxnetReference& head : scope.heads) {
    visit(head.entry);
    while (!stack.empty()) {
      const MxnetEntry& entry = scope.entries[stack.back().first];
      const std::size_t next = stack.back().second++;
      if (next < entry.inputs.size()) {
        visit(entry.inputs[next].entry);
      } else if (next < entry.inputs.size() + entry.controls.size()) {
        visit(entry.controls[next - entry.inputs.size()]);
      } else {
        order.push_back(stack.back().first);
        stack.pop_back();
      }
    }
  }
  return order;
}

}  // namespace opledger
