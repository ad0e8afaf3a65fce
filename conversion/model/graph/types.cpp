// Scopes from the outside in, nodes in the order of the file; again while some node came before
// what it reads.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/graph/types.h"

#include <set>

#include "conversion/model/graph/mxnet_control_flow.h"

namespace opledger {
namespace {

using Kind = ValueType::Kind;

ValueType Shaped(ValueType type, TypeRule::Shape shape) {
  switch (shape) {
    case TypeRule::Shape::kSame:
      return type;
    case TypeRule::Shape::kSequence:
      return type.kind == Kind::kTensor ? ValueType{Kind::kSequence, type.dtype} : ValueType{};
    case TypeRule::Shape::kOptional:
      return type.kind == Kind::kTensor ? ValueType{Kind::kOptional, type.dtype} : ValueType{};
    case TypeRule::Shape::kElement:
      return type.kind == Kind::kSequence ? ValueType{Kind::kTensor, type.dtype} : ValueType{};
    case TypeRule::Shape::kContent:
      if (type.kind == Kind::kOptional) return {Kind::kTensor, type.dtype};
      return type.kind == Kind::kOther ? ValueType{} : type;
    case TypeRule::Shape::kMapped:
      break;
  }
  return {};
}

// float64 over float32 over 16 bits over whole numbers.
int Width(Dtype dtype) { return DtypeBits(dtype) + (IsInteger(dtype) ? 0 : 1000); }

class Inference {
 public:
  Inference(Graph& graph, Signatures& signatures, Typing& typing) : graph_(graph), typing_(typing) {
    typing_.signatures.resize(graph.nodes.size());
    for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
      const Node& node = graph.nodes[id];
      if (graph.Called(node) != kNone) continue;
      const auto& opsets = graph.OpsetsIn(node.scope);
      const auto opset = opsets.find(node.domain);
      typing_.signatures[id] =
          signatures.Find(node.domain, node.op, opset == opsets.end() ? 1 : opset->second);
    }
  }

  void Run() {
    do {
      changed_ = false;
      early_ = false;
      inferred_.clear();
      typing_.problems.clear();
      InferScope(0);
      // Functions that are not called have no types; those that are called were seen at the first
      // call.
    } while (changed_ && early_);
  }

 private:
  ValueType TypeOf(ValueId value) const {
    return value == kNone ? ValueType{} : graph_.values[value].type;
  }

  // Sets or compares the type of a value.
  void SetType(NodeId node, ValueId value, ValueType type, const char* what, std::size_t position) {
    if (value == kNone || type.kind == Kind::kUnknown) return;
    ValueType& known = graph_.values[value].type;
    if (known.kind == Kind::kUnknown) {
      known = type;
      changed_ = true;
    } else if (known != type && known.kind != Kind::kOther && type.kind != Kind::kOther) {
      typing_.problems.push_back({node, std::string(what) + " " + std::to_string(position) + " ('" +
                                            std::string(graph_.values[value].name) +
                                            "') is declared " + TypeText(known) +
                                            " but comes out as " + TypeText(type)});
    }
  }

  void InferScope(ScopeId scope) {
    for (const NodeId node : graph_.scopes[scope].nodes) InferNode(node);
  }

  void InferNode(NodeId id) {
    const Node& node = graph_.nodes[id];
    for (const ValueId input : node.inputs) {
      if (input != kNone && TypeOf(input).kind == Kind::kUnknown) early_ = true;
    }
    if (const FunctionId function = graph_.Called(node); function != kNone) {
      return InferCall(id, graph_.functions[function].body);
    }
    const Signature* signature = typing_.signatures[id];
    for (const Attribute& attribute : node.attributes) {
      for (const ScopeId scope : attribute.scopes) {
        SetScopeInputs(id, scope);
        InferScope(scope);
      }
    }
    if (signature == nullptr) return;
    CheckInputs(id, *signature);
    for (std::size_t position = 0; position < node.outputs.size(); ++position) {
      SetType(id, node.outputs[position], OutputType(node, *signature, position), "output",
              position);
    }
  }

  void InferCall(NodeId id, ScopeId body) {
    const Node& node = graph_.nodes[id];
    const std::vector<ValueId>& inputs = graph_.scopes[body].inputs;
    for (std::size_t i = 0; i < node.inputs.size() && i < inputs.size(); ++i) {
      if (node.inputs[i] != kNone) SetType(id, inputs[i], TypeOf(node.inputs[i]), "argument", i);
    }
    if (inferred_.insert(body).second) InferScope(body);
    const std::vector<ValueId>& outputs = graph_.scopes[body].outputs;
    for (std::size_t i = 0; i < node.outputs.size() && i < outputs.size(); ++i) {
      SetType(id, node.outputs[i], TypeOf(outputs[i]), "output", i);
    }
  }

  // Where a body does not say what it is given: Loop has iteration and condition first, Scan its
  // states and slices in the order of the node's inputs.
  void SetScopeInputs(NodeId id, ScopeId scope) {
    const Node& node = graph_.nodes[id];
    const std::vector<ValueId>& inputs = graph_.scopes[scope].inputs;
    if (!node.domain.empty()) return;
    SetMxnetInputs(node, scope);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (graph_.values[inputs[i]].type.kind != Kind::kUnknown) continue;
      if (node.op == "Loop" && i < 2) {
        graph_.values[inputs[i]].type = {Kind::kTensor, i == 0 ? Dtype::kInt64 : Dtype::kBool};
      } else if ((node.op == "Loop" || node.op == "Scan") && i < node.inputs.size()) {
        graph_.values[inputs[i]].type = TypeOf(node.inputs[i]);
      }
    }
  }

  void SetMxnetInputs(const Node& node, ScopeId scope) {
    for (const MxnetLink& link : MxnetLinks(graph_, node)) {
      if (link.scope != scope) continue;
      ValueType& type = graph_.values[graph_.scopes[scope].inputs[link.scope_input]].type;
      if (type.kind != Kind::kUnknown) continue;
      type = TypeOf(node.inputs[link.input]);
      changed_ = changed_ || type.kind != Kind::kUnknown;
    }
  }

  ValueType OutputType(const Node& node, const Signature& signature, std::size_t position) const {
    for (const TypeRule& rule : signature.rules) {
      if (rule.kind == TypeRule::Kind::kAs) continue;
      if (rule.output != -1 && rule.output != static_cast<int>(position)) continue;
      const ValueType type = ByRule(node, rule, position);
      if (type.kind != Kind::kUnknown) return type;
    }
    const Parameter* parameter = Signature::At(signature.outputs, position);
    if (parameter == nullptr) return {};
    if (parameter->variable < 0) return parameter->type;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Parameter* input = Signature::At(signature.inputs, i);
      if (input == nullptr || input->variable != parameter->variable) continue;
      if (input->homogeneous && node.inputs[i] != kNone) return TypeOf(node.inputs[i]);
    }
    for (const TypeRule& rule : signature.rules) {
      const bool here = rule.output == static_cast<int>(position);
      if (rule.kind == TypeRule::Kind::kAs && here) return rule.type;
    }
    const TypeSet& set = signature.variables[parameter->variable];
    if (set.others || set.tensors.count() != 1) return {};
    for (std::size_t dtype = 0; dtype < set.tensors.size(); ++dtype) {
      if (set.tensors[dtype]) return {Kind::kTensor, static_cast<Dtype>(dtype)};
    }
    return {};
  }

  ValueType ByRule(const Node& node, const TypeRule& rule, std::size_t position) const {
    if (!RuleApplies(graph_, node, rule)) return {};
    const Attribute* attribute = rule.attribute.empty() ? nullptr : node.Find(rule.attribute);
    switch (rule.kind) {
      case TypeRule::Kind::kAttribute:
        return Shaped(attribute == nullptr ? rule.type : AttributeType(*attribute), rule.shape);
      case TypeRule::Kind::kInput: {
        const auto at = static_cast<std::size_t>(rule.input);
        const bool given = at < node.inputs.size() && node.inputs[at] != kNone;
        return given ? Shaped(TypeOf(node.inputs[at]), rule.shape) : ValueType{};
      }
      case TypeRule::Kind::kSubgraph: {
        if (attribute == nullptr || attribute->scopes.empty()) return {};
        const Scope& scope = graph_.scopes[attribute->scopes.front()];
        const std::size_t at = position + rule.first;
        return at < scope.outputs.size() ? Shaped(TypeOf(scope.outputs[at]), rule.shape)
                                         : ValueType{};
      }
      case TypeRule::Kind::kWidest:
        return Widest(node, rule.narrowest);
      case TypeRule::Kind::kWhen:
        return Holds(node, rule, attribute) ? rule.type : ValueType{};
      case TypeRule::Kind::kAs:
        break;
    }
    return {};
  }

  ValueType Widest(const Node& node, bool narrowest) const {
    ValueType best;
    for (const ValueId input : node.inputs) {
      const ValueType type = TypeOf(input);
      if (type.kind != Kind::kTensor || !type.dtype) return {};
      const bool better = best.dtype && (Width(*type.dtype) > Width(*best.dtype)) != narrowest;
      if (!best.dtype || (better && Width(*type.dtype) != Width(*best.dtype))) best = type;
    }
    return best;
  }

  bool Holds(const Node& node, const TypeRule& rule, const Attribute* attribute) const {
    if (rule.input >= 0) {
      const auto at = static_cast<std::size_t>(rule.input);
      return at < node.inputs.size() && TypeOf(node.inputs[at]) == rule.input_type;
    }
    if (rule.attribute.empty()) return true;
    if (attribute == nullptr) return false;
    if (!rule.equals.empty()) return attribute->text == rule.equals;
    return attribute->kind != Attribute::Kind::kList || attribute->length > 0;
  }

  // What an attribute says as a number, a name, a tensor or a type.
  ValueType AttributeType(const Attribute& attribute) const {
    switch (attribute.kind) {
      case Attribute::Kind::kInt:
      case Attribute::Kind::kType:
        return attribute.type;
      case Attribute::Kind::kString:
        return TensorNamed(attribute.text);
      case Attribute::Kind::kTensor:
        return {Kind::kTensor, graph_.tensors[attribute.tensor].dtype};
      case Attribute::Kind::kSparseTensor:
        return {Kind::kSparseTensor, graph_.tensors[attribute.tensor].dtype};
      default:
        return {};
    }
  }

  std::string Described(NodeId id, std::size_t position, const Parameter& parameter) const {
    return "input " + std::to_string(position) + " (" + parameter.name + ") is " +
           TypeText(TypeOf(graph_.nodes[id].inputs[position]));
  }

  void CheckInputs(NodeId id, const Signature& signature) {
    const Node& node = graph_.nodes[id];
    std::vector<int> bound(signature.variables.size(), -1);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Parameter* parameter = Signature::At(signature.inputs, i);
      const ValueType type = TypeOf(node.inputs[i]);
      if (type.kind != Kind::kTensor || !type.dtype) continue;
      if (parameter == nullptr) {
        typing_.problems.push_back({id, "it takes no input " + std::to_string(i)});
        return;
      }
      if (parameter->variable < 0) {
        if (parameter->type == type || parameter->type.kind == Kind::kOther) continue;
        typing_.problems.push_back({id, Described(id, i, *parameter) + " and may be " +
                                            TypeText(parameter->type) + " only"});
        continue;
      }
      if (!signature.variables[parameter->variable].Allows(*type.dtype)) {
        typing_.problems.push_back({id, Described(id, i, *parameter) + ", which version " +
                                            std::to_string(signature.since) + " does not take"});
      }
      int& first = bound[parameter->variable];
      if (!parameter->homogeneous) continue;
      if (first >= 0 && TypeOf(node.inputs[first]) != type) {
        typing_.problems.push_back(
            {id, Described(id, i, *parameter) + ", " +
                     Described(id, static_cast<std::size_t>(first),
                               *Signature::At(signature.inputs, static_cast<std::size_t>(first)))});
      }
      if (first < 0) first = static_cast<int>(i);
    }
  }

  Graph& graph_;
  Typing& typing_;
  std::set<ScopeId> inferred_;  // bodies of functions, in this round: one typing for all calls
  bool changed_ = false;        // some type became known
  bool early_ = false;          // some node was reached before what it reads
};

}  // namespace

Typing InferTypes(Graph& graph, Signatures& signatures) {
  Typing typing;
  Inference(graph, signatures, typing).Run();
  return typing;
}

bool RuleApplies(const Graph& graph, const Node& node, const TypeRule& rule) {
  if (rule.integer_input >= 0) {
    const auto at = static_cast<std::size_t>(rule.integer_input);
    if (at >= node.inputs.size() || node.inputs[at] == kNone) return false;
    const ValueType& type = graph.values[node.inputs[at]].type;
    if (type.kind != Kind::kTensor || !type.dtype || !IsInteger(*type.dtype)) return false;
  }
  const bool chosen = rule.kind == TypeRule::Kind::kInput || rule.kind == TypeRule::Kind::kWidest;
  if (!chosen || rule.attribute.empty()) return true;
  const Attribute* attribute = node.Find(rule.attribute);
  return attribute != nullptr && attribute->text == rule.equals;
}

std::string NodeText(const Graph& graph, NodeId id) {
  return std::string(graph.nodes[id].op) + " '" + graph.NameOf(id) + "'";
}

}  // namespace opledger
