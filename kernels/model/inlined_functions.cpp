// Inlines functions without changing the model's bytes: a copied node keeps the place of its
// original in the file, except for attributes that the call gives.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/inlined_functions.h"

#include <algorithm>
#include <cstring>

#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/onnx/onnx_fields.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxNodes = 1'000'000;
constexpr int kMaxDepth = 64;  // nesting depth of function calls

class Inliner {
 public:
  Inliner(OnnxModel& model, std::deque<std::string>& names)
      : model_(model), graph_(model.graph), names_(names) {}

  void InlineScope(ScopeId scope, int depth);
  const Status& status() const { return status_; }

 private:
  // One call that is inlined.
  struct Copy {
    NodeId call = kNone;
    FunctionId function = kNone;
    ScopeId values_scope = kNone;  // scope of the call
    ScopeId nodes_scope = kNone;   // a scope within it, with the function's opsets
    std::map<ValueId, ValueId> values = {};
  };

  void Expand(NodeId id, int depth, std::vector<NodeId>& expanded);
  std::vector<NodeId> Inline(NodeId call);
  ScopeId AddScope(ScopeId parent, FunctionId function, MessageId place);
  ValueId AddValue(const Copy& copy, ValueId from, ScopeId scope);
  ValueId ValueOf(Copy& copy, ValueId value, ScopeId scope);
  NodeId AddNode(Node node, MessageId place);
  NodeId CopyNode(Copy& copy, NodeId id, ScopeId nodes, ScopeId values);
  ScopeId CopyScope(Copy& copy, ScopeId from, NodeId owner);
  void TakeAttributes(Copy& copy, NodeId from, NodeId to);
  bool Resolve(const Copy& copy, Attribute& attribute, Span& place);
  std::string_view NewName(const Copy& copy, std::string_view name);

  OnnxModel& model_;
  Graph& graph_;
  std::deque<std::string>& names_;
  Status status_;
};

void Inliner::InlineScope(ScopeId scope, int depth) {
  const std::vector<NodeId> nodes = graph_.scopes[scope].nodes;
  std::vector<NodeId> expanded;
  for (const NodeId id : nodes) Expand(id, depth, expanded);
  graph_.scopes[scope].nodes = std::move(expanded);
}

void Inliner::Expand(NodeId id, int depth, std::vector<NodeId>& expanded) {
  if (!status_.ok()) return;
  if (graph_.Called(graph_.nodes[id]) == kNone) {
    expanded.push_back(id);
    std::vector<ScopeId> inner;
    for (const Attribute& attribute : graph_.nodes[id].attributes) {
      inner.insert(inner.end(), attribute.scopes.begin(), attribute.scopes.end());
    }
    for (const ScopeId scope : inner) InlineScope(scope, depth);
    return;
  }
  if (depth == kMaxDepth || graph_.nodes.size() > kMaxNodes) {
    status_ = "its functions call each other recursively, or too many times";
    return;
  }
  for (const NodeId copy : Inline(id)) Expand(copy, depth + 1, expanded);
}

std::string_view Inliner::NewName(const Copy& copy, std::string_view name) {
  std::string text = graph_.NameOf(copy.call) + "/" + std::string(name);
  while (graph_.Find(copy.values_scope, text) != kNone) text += "_";
  return names_.emplace_back(std::move(text));
}

ScopeId Inliner::AddScope(ScopeId parent, FunctionId function, MessageId place) {
  Scope& scope = graph_.scopes.emplace_back();
  scope.parent = parent;
  scope.function = function;
  graph_.names.emplace_back();
  model_.places.scopes.push_back(place);
  model_.places.outputs.emplace_back();
  return static_cast<ScopeId>(graph_.scopes.size()) - 1;
}

ValueId Inliner::AddValue(const Copy& copy, ValueId from, ScopeId scope) {
  Value value;
  value.name = NewName(copy, graph_.values[from].name);
  value.scope = scope;
  value.tensor = graph_.values[from].tensor;
  value.is_input = scope != copy.values_scope && graph_.values[from].is_input;
  value.type = graph_.values[from].type;
  const auto id = static_cast<ValueId>(graph_.values.size());
  graph_.names[scope].emplace(value.name, id);
  graph_.values.push_back(std::move(value));
  model_.places.declarations.emplace_back();
  return id;
}

// Returns the copy of a value, creating it at first use.
ValueId Inliner::ValueOf(Copy& copy, ValueId value, ScopeId scope) {
  if (value == kNone) return kNone;
  const auto known = copy.values.find(value);
  if (known != copy.values.end()) return known->second;
  const ValueId made = AddValue(copy, value, scope);
  copy.values[value] = made;
  return made;
}

NodeId Inliner::AddNode(Node node, MessageId place) {
  const auto id = static_cast<NodeId>(graph_.nodes.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone) continue;
    graph_.values[node.inputs[i]].uses.push_back({id, static_cast<int>(i)});
  }
  for (const ValueId output : node.outputs) {
    if (output != kNone) graph_.values[output].producer = id;
  }
  graph_.nodes.push_back(std::move(node));
  model_.places.nodes.push_back(place);
  return id;
}

// Replaces an attribute that refers to one of the call by its value and place. Returns false if
// neither the call nor a default gives it.
bool Inliner::Resolve(const Copy& copy, Attribute& attribute, Span& place) {
  const std::string_view name = attribute.name;
  const std::string_view referred = attribute.text;
  const Attribute* given = graph_.nodes[copy.call].Find(referred);
  if (given != nullptr) {
    attribute = *given;
    attribute.name = name;
    place = PlaceOfAttribute(model_, copy.call, referred);
    return true;
  }
  const MessageId function = model_.places.scopes[graph_.functions[copy.function].body];
  for (const WireField& field : model_.Fields(function)) {
    if (!field.IsBytes(function_field::kDefault) ||
        AttributeName(model_.file.bytes(), field.body) != referred) {
      continue;
    }
    place = field.body;
    if (ReadPlainAttribute(model_.file.bytes(), field.body, attribute)) {
      attribute.name = name;
      return true;
    }
    status_ = "the default of the attribute '" + std::string(referred) +
              "' of a function is a tensor or a graph, which is not supported";
    return false;
  }
  return false;
}

void Inliner::TakeAttributes(Copy& copy, NodeId from, NodeId to) {
  const std::vector<Attribute> attributes = graph_.nodes[from].attributes;
  for (const Attribute& original : attributes) {
    Attribute attribute = original;
    if (attribute.kind == Attribute::Kind::kReference) {
      Span place;
      if (!Resolve(copy, attribute, place)) continue;
      model_.attribute_places[{to, attribute.name}] = place;
    }
    for (ScopeId& scope : attribute.scopes) scope = CopyScope(copy, scope, to);
    graph_.nodes[to].attributes.push_back(std::move(attribute));
  }
}

NodeId Inliner::CopyNode(Copy& copy, NodeId id, ScopeId nodes, ScopeId values) {
  Node node = graph_.nodes[id];
  node.scope = nodes;
  node.attributes.clear();
  if (!node.name.empty()) node.name = NewName(copy, node.name);
  for (ValueId& input : node.inputs) input = ValueOf(copy, input, values);
  for (ValueId& output : node.outputs) output = ValueOf(copy, output, values);
  const NodeId added = AddNode(std::move(node), model_.places.nodes[id]);
  TakeAttributes(copy, id, added);
  return added;
}

// Copies a graph attribute of a function's node.
ScopeId Inliner::CopyScope(Copy& copy, ScopeId from, NodeId owner) {
  const ScopeId to = AddScope(graph_.nodes[owner].scope, kNone, model_.places.scopes[from]);
  graph_.scopes[to].owner = owner;
  const std::vector<MessageId> outputs = model_.places.outputs[from];
  model_.places.outputs[to] = outputs;
  for (const auto& [name, value] : graph_.names[from]) {
    ValueOf(copy, value, to);  // values of this graph, before they are used anywhere else
  }
  for (const ValueId input : std::vector<ValueId>(graph_.scopes[from].inputs)) {
    const ValueId made = ValueOf(copy, input, to);
    graph_.scopes[to].inputs.push_back(made);
  }
  for (const NodeId id : std::vector<NodeId>(graph_.scopes[from].nodes)) {
    const NodeId made = CopyNode(copy, id, to, to);
    graph_.scopes[to].nodes.push_back(made);
  }
  for (const ValueId output : std::vector<ValueId>(graph_.scopes[from].outputs)) {
    const ValueId made = ValueOf(copy, output, to);
    graph_.scopes[to].outputs.push_back(made);
  }
  return to;
}

// Copies a function's nodes, in order, and disconnects the call.
std::vector<NodeId> Inliner::Inline(NodeId call) {
  const ScopeId scope = graph_.nodes[call].scope;
  const FunctionId function = graph_.Called(graph_.nodes[call]);
  const Scope body = graph_.scopes[graph_.functions[function].body];
  ScopeId outer = scope;  // scope of the values: scopes of calls have none
  while (graph_.scopes[outer].function != kNone && graph_.scopes[outer].parent != kNone) {
    outer = graph_.scopes[outer].parent;
  }
  Copy copy{call, function, outer, kNone};
  copy.nodes_scope =
      AddScope(outer, function, model_.places.scopes[graph_.functions[function].body]);
  const std::vector<ValueId> inputs = graph_.nodes[call].inputs;
  const std::vector<ValueId> outputs = graph_.nodes[call].outputs;
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    copy.values[body.inputs[i]] = i < inputs.size() ? inputs[i] : kNone;
  }
  std::vector<std::pair<ValueId, ValueId>> same;  // outputs returned twice, or that are inputs
  for (std::size_t i = 0; i < outputs.size() && i < body.outputs.size(); ++i) {
    if (outputs[i] == kNone) continue;
    if (!copy.values.emplace(body.outputs[i], outputs[i]).second) {
      same.emplace_back(copy.values[body.outputs[i]], outputs[i]);
    }
  }
  for (const ValueId input : inputs) {
    if (input == kNone) continue;
    std::erase_if(graph_.values[input].uses, [&](const Use& use) { return use.node == call; });
  }
  std::vector<NodeId> copies;
  for (const NodeId id : body.nodes) {
    copies.push_back(CopyNode(copy, id, copy.nodes_scope, copy.values_scope));
  }
  for (const auto& [from, to] : same) {
    Node identity;
    identity.op = "Identity";
    identity.scope = copy.nodes_scope;
    identity.inputs = {from};
    identity.outputs = {to};
    copies.push_back(AddNode(std::move(identity), kNone));
  }
  graph_.nodes[call].inputs.clear();
  graph_.nodes[call].outputs.clear();
  return copies;
}

}  // namespace

bool ExpandFunctionCalls(OnnxModel& model, std::deque<std::string>& names,
                         Diagnostics& diagnostics) {
  if (model.graph.functions.empty()) return true;
  Inliner inliner(model, names);
  inliner.InlineScope(0, 0);
  if (inliner.status().ok()) return true;
  diagnostics.Error({.path = model.file.path()}, inliner.status().message);
  return false;
}

}  // namespace opledger
