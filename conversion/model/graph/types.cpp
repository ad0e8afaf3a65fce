// Types nodes in one pass in file order, in which a node comes after its producers. The body of a
// function is typed at its calls.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/graph/types.h"

#include <map>
#include <utility>

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
      if (type.kind == Kind::kSequence) return {Kind::kOptionalSequence, type.dtype};
      return type.kind == Kind::kTensor ? ValueType{Kind::kOptional, type.dtype} : ValueType{};
    case TypeRule::Shape::kElement:
      return type.kind == Kind::kSequence ? ValueType{Kind::kTensor, type.dtype} : ValueType{};
    case TypeRule::Shape::kContent:
      if (type.kind == Kind::kOptional) return {Kind::kTensor, type.dtype};
      if (type.kind == Kind::kOptionalSequence) return {Kind::kSequence, type.dtype};
      return type.kind == Kind::kOther ? ValueType{} : type;
    case TypeRule::Shape::kMapped:
      break;
  }
  return {};
}

bool IsKnown(const ValueType& type) {
  return type.kind != Kind::kUnknown && type.kind != Kind::kOther;
}

// Orders types: float64, float32, 16-bit floats, integers.
int Width(Dtype dtype) { return DtypeBits(dtype) + (IsInteger(dtype) ? 0 : 1000); }

class Inference {
 public:
  Inference(Graph& graph, Signatures& signatures, Typing& typing) : graph_(graph), typing_(typing) {
    typing_.signatures.resize(graph.nodes.size());
    calls_.resize(graph.nodes.size(), kNone);
    for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
      const Node& node = graph.nodes[id];
      calls_[id] = graph.Called(node);
      if (calls_[id] != kNone) continue;
      typing_.signatures[id] =
          signatures.Find(node.domain, node.op, graph.OpsetIn(node.scope, node.domain));
    }
    ListFunctionValues();
  }

  // Functions that are not called get no types.
  void Run() {
    stack_.push_back({.scope = 0});
    while (!stack_.empty()) Step();
    for (std::size_t id = 0; id < functions_.size(); ++id) {
      for (std::size_t i = 0; functions_[id].typed && i < functions_[id].values.size(); ++i) {
        graph_.values[functions_[id].values[i]].type = functions_[id].types[i];
      }
    }
  }

 private:
  // A scope being typed. Frames replace recursion, so that depth is not limited by the stack.
  struct Frame {
    ScopeId scope = kNone;
    std::size_t next = 0;         // next node of the scope
    NodeId pending = kNone;       // node waiting for the frames above
    FunctionId function = kNone;  // the function whose body it is
    std::string call = {};        // key of the argument types
  };

  // A body is typed once per combination of argument types.
  struct FunctionTypes {
    std::vector<ValueId> values;      // of its scopes
    std::vector<ValueType> declared;  // per value
    std::vector<ValueType> types;     // in all calls; kOther: they differ
    bool typed = false;
    bool open = false;  // being typed
    std::map<std::string, std::vector<ValueType>> results;
  };

  void ListFunctionValues() {
    functions_.resize(graph_.functions.size());
    if (functions_.empty()) return;
    std::vector<FunctionId> owners(graph_.scopes.size(), kNone);
    for (std::size_t id = 0; id < graph_.scopes.size(); ++id) {  // outer scopes come first
      const Scope& scope = graph_.scopes[id];
      owners[id] = scope.function != kNone ? scope.function
                   : scope.parent == kNone ? kNone
                                           : owners[scope.parent];
    }
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      const FunctionId owner = owners[graph_.values[id].scope];
      if (owner == kNone) continue;
      functions_[owner].values.push_back(static_cast<ValueId>(id));
      functions_[owner].declared.push_back(graph_.values[id].type);
    }
  }

  void Step() {
    Frame& frame = stack_.back();
    if (frame.pending != kNone) return Finish(std::exchange(frame.pending, kNone));
    const std::vector<NodeId>& nodes = graph_.scopes[frame.scope].nodes;
    if (frame.next < nodes.size()) return Begin(nodes[frame.next++]);
    const Frame done = std::move(frame);
    stack_.pop_back();
    if (done.function != kNone) Leave(done.function, done.call);
  }

  // Pushes the scopes that a node depends on; the node is finished after them.
  void Begin(NodeId id) {
    const Node& node = graph_.nodes[id];
    stack_.back().pending = id;
    if (calls_[id] != kNone) return Call(id, calls_[id]);
    for (auto attribute = node.attributes.rbegin(); attribute != node.attributes.rend();
         ++attribute) {
      for (auto scope = attribute->scopes.rbegin(); scope != attribute->scopes.rend(); ++scope) {
        SetScopeInputs(id, *scope);
        stack_.push_back({.scope = *scope});
      }
    }
  }

  std::string CallKey(const Node& node) const {
    std::string key;
    for (const ValueId input : node.inputs) {
      const ValueType type = TypeOf(input);
      key += static_cast<char>(type.kind);
      key += static_cast<char>(type.dtype ? static_cast<int>(*type.dtype) + 1 : 0);
    }
    return key;
  }

  void Call(NodeId id, FunctionId called) {
    FunctionTypes& function = functions_[called];
    std::string key = CallKey(graph_.nodes[id]);
    if (function.open) {
      typing_.problems.push_back({id, "the function calls itself"});
    } else if (function.results.find(key) == function.results.end()) {
      Enter(id, called, std::move(key));
    }
  }

  void Enter(NodeId id, FunctionId called, std::string key) {
    FunctionTypes& function = functions_[called];
    function.open = true;
    for (std::size_t i = 0; i < function.values.size(); ++i) {
      graph_.values[function.values[i]].type = function.declared[i];
    }
    const ScopeId body = graph_.functions[called].body;
    const Node& node = graph_.nodes[id];
    const std::vector<ValueId>& inputs = graph_.scopes[body].inputs;
    for (std::size_t i = 0; i < node.inputs.size() && i < inputs.size(); ++i) {
      if (node.inputs[i] != kNone) SetType(id, inputs[i], TypeOf(node.inputs[i]), "argument", i);
    }
    stack_.push_back({.scope = body, .function = called, .call = std::move(key)});
  }

  void Leave(FunctionId left, const std::string& key) {
    FunctionTypes& function = functions_[left];
    std::vector<ValueType>& results = function.results[key];
    for (const ValueId output : graph_.scopes[graph_.functions[left].body].outputs) {
      results.push_back(TypeOf(output));
    }
    function.types.resize(function.values.size());
    for (std::size_t i = 0; i < function.values.size(); ++i) {
      const ValueType& type = graph_.values[function.values[i]].type;
      if (function.typed && function.types[i] != type) {
        function.types[i] = {Kind::kOther, std::nullopt};
      } else {
        function.types[i] = type;
      }
    }
    function.typed = true;
    function.open = false;
  }

  ValueType TypeOf(ValueId value) const {
    return value == kNone ? ValueType{} : graph_.values[value].type;
  }

  // Sets the type of a value, or compares it with the known one.
  void SetType(NodeId node, ValueId value, ValueType type, const char* what, std::size_t position) {
    if (value == kNone || type.kind == Kind::kUnknown) return;
    ValueType& known = graph_.values[value].type;
    if (known.kind == Kind::kUnknown) {
      known = type;
    } else if (known != type && IsKnown(known) && IsKnown(type)) {
      typing_.problems.push_back({node, std::string(what) + " " + std::to_string(position) + " ('" +
                                            std::string(graph_.values[value].name) +
                                            "') is declared " + TypeText(known) +
                                            " but is computed as " + TypeText(type)});
    }
  }

  void Finish(NodeId id) {
    const Node& node = graph_.nodes[id];
    if (calls_[id] != kNone) return FinishCall(id, functions_[calls_[id]]);
    CheckScopes(id);
    const Signature* signature = typing_.signatures[id];
    if (signature == nullptr) return;
    CheckInputs(id, *signature);
    CheckBits(id);
    for (std::size_t position = 0; position < node.outputs.size(); ++position) {
      SetType(id, node.outputs[position], OutputType(node, *signature, position), "output",
              position);
    }
  }

  void FinishCall(NodeId id, const FunctionTypes& function) {
    const Node& node = graph_.nodes[id];
    const auto results = function.results.find(CallKey(node));
    if (results == function.results.end()) return;
    for (std::size_t i = 0; i < node.outputs.size() && i < results->second.size(); ++i) {
      SetType(id, node.outputs[i], results->second[i], "output", i);
    }
  }

  void Compare(NodeId id, const std::string& what, ValueId a, const std::string& that, ValueId b) {
    const ValueType left = TypeOf(a);
    const ValueType right = TypeOf(b);
    if (!IsKnown(left) || !IsKnown(right) || left == right) return;
    typing_.problems.push_back(
        {id, what + " is " + TypeText(left) + ", " + that + " " + TypeText(right)});
  }

  // The body takes one element of each sequence.
  void CheckMapped(NodeId id, const Scope& body) {
    const Node& node = graph_.nodes[id];
    for (std::size_t i = 0; i < node.inputs.size() && i < body.inputs.size(); ++i) {
      const ValueType given = TypeOf(node.inputs[i]);
      const ValueType taken = TypeOf(body.inputs[i]);
      if (!IsKnown(given) || !IsKnown(taken) || given.dtype == taken.dtype) continue;
      typing_.problems.push_back({id, "input " + std::to_string(i) + " is " + TypeText(given) +
                                          ", that of the body " + TypeText(taken)});
    }
  }

  // Checks that values shared with subgraphs have one type: the outputs of branches and the values
  // that a loop carries.
  void CheckScopes(NodeId id) {
    const Node& node = graph_.nodes[id];
    if (!node.domain.empty()) return;
    if (node.op == "If") {
      const Attribute* one = node.Find("then_branch");
      const Attribute* other = node.Find("else_branch");
      if (one == nullptr || other == nullptr) return;
      if (one->scopes.empty() || other->scopes.empty()) return;
      const auto& a = graph_.scopes[one->scopes[0]].outputs;
      const auto& b = graph_.scopes[other->scopes[0]].outputs;
      for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        Compare(id, "output " + std::to_string(i) + " of then_branch", a[i], "of else_branch",
                b[i]);
      }
    }
    const bool maps = node.op == "SequenceMap";
    const Attribute* body = maps || node.op == "Loop" ? node.Find("body") : nullptr;
    if (body == nullptr || body->scopes.empty()) return;
    const Scope& scope = graph_.scopes[body->scopes[0]];
    if (scope.inputs.size() != node.inputs.size()) {
      typing_.problems.push_back({id, "its body has " + std::to_string(scope.inputs.size()) +
                                          " inputs, but the node has " +
                                          std::to_string(node.inputs.size())});
    }
    if (maps) return CheckMapped(id, scope);
    for (std::size_t i = 2; i < node.inputs.size() && i < scope.inputs.size(); ++i) {
      const std::string input = "input " + std::to_string(i);
      Compare(id, input, node.inputs[i], "that of the body", scope.inputs[i]);
      if (i - 1 >= scope.outputs.size()) continue;
      Compare(id, input, node.inputs[i], "its next value", scope.outputs[i - 1]);
    }
  }

  // Types inputs that the body does not declare: Loop passes iteration and condition first, Scan
  // its states and slices in the order of the node's inputs.
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

  // Returns the type that an attribute states as a number, a name, a tensor or a type.
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

  // A sparse tensor is valid wherever a tensor is.
  static bool HoldSameNumbers(const ValueType& a, const ValueType& b) {
    const auto is_tensor = [](const ValueType& type) {
      return type.kind == Kind::kTensor || type.kind == Kind::kSparseTensor;
    };
    return a == b || (is_tensor(a) && is_tensor(b) && a.dtype == b.dtype);
  }

  void CheckInputs(NodeId id, const Signature& signature) {
    const Node& node = graph_.nodes[id];
    std::vector<int> bound(signature.variables.size(), -1);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Parameter* parameter = Signature::At(signature.inputs, i);
      if (node.inputs[i] == kNone) continue;
      if (parameter == nullptr) {
        typing_.problems.push_back({id, "it has no input " + std::to_string(i)});
        return;
      }
      const ValueType type = TypeOf(node.inputs[i]);
      if (!IsKnown(type)) continue;
      if (parameter->variable < 0) {
        if (parameter->type == type || !IsKnown(parameter->type)) continue;
        typing_.problems.push_back({id, Described(id, i, *parameter) + " and may be " +
                                            TypeText(parameter->type) + " only"});
        continue;
      }
      if (!signature.variables[parameter->variable].Allows(type)) {
        typing_.problems.push_back({id, Described(id, i, *parameter) + ", which version " +
                                            std::to_string(signature.since) + " does not accept"});
      }
      int& first = bound[parameter->variable];
      if (!parameter->homogeneous) continue;
      if (first >= 0 && !HoldSameNumbers(TypeOf(node.inputs[first]), type)) {
        typing_.problems.push_back(
            {id, Described(id, i, *parameter) + ", " +
                     Described(id, static_cast<std::size_t>(first),
                               *Signature::At(signature.inputs, static_cast<std::size_t>(first)))});
      }
      if (first < 0) first = static_cast<int>(i);
    }
    CheckElement(id, signature);
  }

  // BitCast requires types with the same number of bits.
  void CheckBits(NodeId id) {
    const Node& node = graph_.nodes[id];
    if (node.op != "BitCast" || !node.domain.empty() || node.inputs.empty()) return;
    const Attribute* to = node.Find("to");
    const std::optional<Dtype> from = TypeOf(node.inputs[0]).dtype;
    if (to == nullptr || !from || !to->type.dtype) return;
    if (DtypeBits(*from) == DtypeBits(*to->type.dtype)) return;
    typing_.problems.push_back({id, std::string("input 0 is of ") + DtypeName(*from) +
                                        ", which does not have as many bits as " +
                                        DtypeName(*to->type.dtype)});
  }

  // No signature requires that a value inserted into a sequence has its element type.
  void CheckElement(NodeId id, const Signature& signature) {
    const Node& node = graph_.nodes[id];
    if (node.op != "SequenceInsert" || !node.domain.empty() || node.inputs.size() < 2) return;
    const ValueType sequence = TypeOf(node.inputs[0]);
    const ValueType element = TypeOf(node.inputs[1]);
    if (!IsKnown(sequence) || !IsKnown(element) || sequence.dtype == element.dtype) return;
    typing_.problems.push_back(
        {id, Described(id, 1, signature.inputs[1]) + ", " + Described(id, 0, signature.inputs[0])});
  }

  Graph& graph_;
  Typing& typing_;
  std::vector<FunctionId> calls_;  // per node
  std::vector<FunctionTypes> functions_;
  std::vector<Frame> stack_;
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
