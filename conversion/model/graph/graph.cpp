// Looks things up in a graph.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/graph/graph.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace opledger {

const Attribute* Node::Find(std::string_view attribute) const {
  for (const Attribute& each : attributes) {
    if (each.name == attribute) return &each;
  }
  return nullptr;
}

std::string QualifiedName(std::string_view domain, std::string_view op) {
  std::string name(domain);
  if (!name.empty()) name += '.';
  return name.append(op);
}

std::string Graph::NameOf(NodeId id) const {
  const Node& node = nodes[id];
  if (!node.name.empty()) return std::string(node.name);
  for (const ValueId output : node.outputs) {
    if (output != kNone) return std::string(values[output].name);
  }
  return {};
}

FunctionId Graph::FindFunction(const FunctionIdentity& identity) const {
  const auto found = function_ids.find(identity);
  return found == function_ids.end() ? kNone : found->second;
}

FunctionId Graph::Called(const Node& node) const {
  return functions.empty() ? kNone : FindFunction({node.domain, node.op, node.overload});
}

const std::map<std::string_view, std::int64_t>& Graph::OpsetsIn(ScopeId scope) const {
  while (scopes[scope].function == kNone && scopes[scope].parent != kNone) {
    scope = scopes[scope].parent;
  }
  const FunctionId function = scopes[scope].function;
  return function == kNone ? opsets : functions[function].opsets;
}

std::int64_t Graph::OpsetIn(ScopeId scope, std::string_view domain) const {
  const auto& imported = OpsetsIn(scope);
  const auto opset = imported.find(domain);
  return opset == imported.end() ? 1 : opset->second;
}

ValueId Graph::Find(ScopeId scope, std::string_view name) const {
  for (; scope != kNone; scope = scopes[scope].parent) {
    const auto found = names[scope].find(name);
    if (found != names[scope].end()) return found->second;
  }
  return kNone;
}

bool IsParameter(const Graph& graph, const Value& value) {
  if (value.producer == kNone) {
    return value.tensor != kNone && !value.is_input && !graph.tensors[value.tensor].sparse;
  }
  const Node& node = graph.nodes[value.producer];
  if (!node.domain.empty() || graph.casts_are_fixed) return false;
  // An attribute of the function or a sparse tensor cannot be recreated in another type.
  const bool plain =
      std::all_of(node.attributes.begin(), node.attributes.end(), [](const Attribute& a) {
        return a.kind != Attribute::Kind::kReference && a.kind != Attribute::Kind::kSparseTensor;
      });
  if (!plain) return false;
  if (node.op == "Constant" || node.op == "ConstantOfShape") return true;
  if (node.op != "Cast" || node.inputs.empty() || node.inputs.front() == kNone) return false;
  const ValueType& from = graph.values[node.inputs.front()].type;
  return from.kind == ValueType::Kind::kTensor && from.dtype && IsInteger(*from.dtype);
}

TensorId ParameterTensor(const Graph& graph, const Value& value) {
  if (value.producer == kNone) return value.tensor;
  const Attribute* attribute = graph.nodes[value.producer].Find("value");
  return attribute == nullptr ? kNone : attribute->tensor;
}

std::vector<std::string> ExternalFiles(const Graph& graph, const std::string& model) {
  std::set<std::string> files;
  const std::filesystem::path folder = std::filesystem::path(model).parent_path();
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.storage == Tensor::Storage::kExternal) {
      files.insert((folder / tensor.location).string());
    }
  }
  return {files.begin(), files.end()};
}

std::vector<std::string> ScopeNames(const Graph& graph) {
  std::vector<std::string> names(graph.scopes.size());
  for (const Function& function : graph.functions) {
    names[function.body] = "function " + QualifiedName(function.domain, function.name);
  }
  // In file order, a node that contains a scope precedes the nodes in it.
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    const Node& node = graph.nodes[id];
    for (const Attribute& attribute : node.attributes) {
      for (std::size_t i = 0; i < attribute.scopes.size(); ++i) {
        std::string name = names[node.scope];
        if (!name.empty()) name += '/';
        name += graph.NameOf(id) + "." + std::string(attribute.name);
        if (attribute.scopes.size() > 1) name += "[" + std::to_string(i) + "]";
        names[attribute.scopes[i]] = std::move(name);
      }
    }
  }
  return names;
}

}  // namespace opledger
