// Converts the table to signatures: "data: T..." is a parameter, "T" an output, rules become type
// rules.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/mxnet/mxnet_operators.h"

#include <algorithm>

#include "registry/files/files.h"
#include "registry/json/json_fields.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

// MXNet's element types. A type variable may have any of them unless the table restricts it.
constexpr Dtype kEveryType[] = {Dtype::kFloat32, Dtype::kFloat64, Dtype::kFloat16, Dtype::kUint8,
                                Dtype::kInt32,   Dtype::kInt8,    Dtype::kInt64,   Dtype::kBool,
                                Dtype::kInt16,   Dtype::kUint16,  Dtype::kUint32,  Dtype::kUint64,
                                Dtype::kBfloat16};

// Splits text at spaces.
std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

class FamilyReader {
 public:
  FamilyReader(const JsonDocument& document, const JsonValue& json, Diagnostics& diagnostics)
      : json_(json), fields_(document, json, "family", diagnostics) {}

  // Returns false after an error.
  bool Read(std::map<std::string, Signature>& signatures) {
    fields_.RequiredString("family");
    fields_.RequiredString("note");
    const JsonValue* types = fields_.Take("types");
    for (std::size_t i = 0; types != nullptr && i < types->members.size(); ++i) {
      const JsonMember& variable = types->members[i];
      TypeSet& set = signature_.variables[Variable(variable.key)];
      set = {};
      for (const JsonValue& name : variable.value.items) {
        const std::optional<Dtype> dtype = ParseDtype(name.string);
        if (!dtype) return Error(name.span, "'" + name.string + "' is not an element type");
        set.tensors.set(static_cast<std::size_t>(*dtype));
      }
    }
    for (const std::string& text : fields_.Strings("inputs")) {
      const std::size_t colon = std::min(text.find(": "), text.size());
      Parameter& parameter = signature_.inputs.emplace_back();
      parameter.name = text.substr(0, colon);
      AddType(text.substr(std::min(colon + 2, text.size())), parameter);
    }
    for (const std::string& text : fields_.Strings("outputs")) {
      Parameter& parameter = signature_.outputs.emplace_back();
      parameter.name = "output" + std::to_string(signature_.outputs.size() - 1);
      AddType(text, parameter);
    }
    for (const JsonValue& rule : fields_.Objects("rules")) AddRule(rule);
    for (const std::string& op : fields_.Strings("operators")) {
      if (!signatures.emplace(op, signature_).second) {
        return Error(json_.span, "operator '" + op + "' is in two families");
      }
    }
    return fields_.Finish();
  }

 private:
  bool Error(Span span, std::string message) {
    fields_.Error(span, std::move(message));
    return false;
  }

  int Variable(const std::string& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<int>(found - names_.begin());
    names_.push_back(name);
    TypeSet& set = signature_.variables.emplace_back();
    for (const Dtype dtype : kEveryType) set.tensors.set(static_cast<std::size_t>(dtype));
    return static_cast<int>(names_.size()) - 1;
  }

  void AddType(const std::string& text, Parameter& parameter) {
    for (std::string& word : Words(text)) {
      if (word.ends_with("...")) {
        parameter.variadic = true;
        word.resize(word.size() - 3);
      }
      if (word == "any") {
        parameter.homogeneous = false;
      } else if (word == "index" || word == "writes") {
        parameter.keep = true;
      } else if (word == "shape") {
        parameter.shape_only = true;
      } else if (word == "?" || ParseDtype(word)) {
        parameter.type = word == "?" ? ValueType{} : TensorNamed(word);
      } else if (word != "of") {
        parameter.variable = Variable(word);
      }
    }
  }

  void AddRule(const JsonValue& json) {
    TypeRule& rule = signature_.rules.emplace_back();
    const auto number = [&](const char* key) {
      const JsonValue* value = json.Find(key);
      const bool given = value != nullptr && value->kind == JsonValue::Kind::kInteger;
      return given ? static_cast<int>(value->integer) : -1;
    };
    const auto text = [&](const char* key) {
      const JsonValue* value = json.Find(key);
      return value == nullptr ? std::string() : value->string;
    };
    rule.output = number("output");
    rule.input = number("input");
    rule.integer_input = number("integer");
    rule.attribute = text("attribute");
    rule.equals = text("equals");
    rule.narrowest = json.Find("narrowest") != nullptr;
    if (json.Find("widest") != nullptr || rule.narrowest) {
      rule.kind = TypeRule::Kind::kWidest;
    } else if (rule.input >= 0) {
      rule.kind = TypeRule::Kind::kInput;
    } else if (json.Find("subgraph") != nullptr) {
      rule.kind = TypeRule::Kind::kSubgraph;
      rule.attribute = text("subgraph");
    } else if (json.Find("type") != nullptr) {
      rule.kind = TypeRule::Kind::kWhen;
      rule.type = TensorNamed(text("type"));
    } else {
      rule.kind = TypeRule::Kind::kAttribute;
      if (json.Find("default") != nullptr) rule.type = TensorNamed(text("default"));
    }
  }

  const JsonValue& json_;
  JsonFields fields_;
  Signature signature_;
  std::vector<std::string> names_;  // of the type variables
};

}  // namespace

std::optional<MxnetOperators> ParseMxnetOperators(const std::string& path, std::string text,
                                                  Diagnostics& diagnostics) {
  const auto document = ParseJson(path, std::move(text), diagnostics);
  if (!document) return std::nullopt;
  JsonFields fields(*document, document->root, "table of types", diagnostics);
  fields.RequiredString("framework");
  std::map<std::string, Signature> signatures;
  for (const JsonValue& family : fields.Objects("families")) {
    if (!FamilyReader(*document, family, diagnostics).Read(signatures)) return std::nullopt;
  }
  if (const JsonValue* defaults = fields.Take("defaults")) {
    for (const JsonMember& op : defaults->members) {
      for (const JsonMember& member : op.value.members) {
        signatures[op.key].defaults[member.key] = member.value.string;
      }
    }
  }
  MxnetOperators operators{Signatures::Of(signatures), {}};
  if (const JsonValue* aliases = fields.Take("aliases")) {
    for (const JsonMember& member : aliases->members) {
      operators.aliases[member.key] = member.value.string;
    }
  }
  if (!fields.Finish()) return std::nullopt;
  return operators;
}

std::optional<MxnetOperators> LoadMxnetOperators(Diagnostics& diagnostics) {
  const std::string path = DataDirectory() + "/operators/mxnet-types.json";
  auto text = ReadFile(path, std::size_t{16} << 20, diagnostics);
  if (!text) return std::nullopt;
  return ParseMxnetOperators(path, std::move(*text), diagnostics);
}

void NameMxnetOperators(Graph& graph, const MxnetOperators& operators) {
  for (Node& node : graph.nodes) {
    const auto alias = operators.aliases.find(node.op);
    if (alias != operators.aliases.end()) node.op = alias->second;
  }
}

namespace {

// Returns the types that a node's inputs bind to its type variables.
std::vector<ValueType> Bound(const Graph& graph, const Node& node, const Signature& signature) {
  std::vector<ValueType> bound(signature.variables.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Parameter* parameter = Signature::At(signature.inputs, i);
    if (parameter == nullptr || parameter->variable < 0 || !parameter->homogeneous) continue;
    ValueType& type = bound[parameter->variable];
    if (type.kind == ValueType::Kind::kUnknown) type = graph.values[node.inputs[i]].type;
  }
  return bound;
}

// Gives untyped variables the type of other inputs of their nodes. Returns whether any was typed.
bool TypeByOthers(MxnetSymbol& symbol, const Typing& typing) {
  Graph& graph = symbol.graph;
  std::vector<std::vector<ValueType>> bound(graph.nodes.size());
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    const Signature* signature = typing.signatures[id];
    if (signature != nullptr) bound[id] = Bound(graph, graph.nodes[id], *signature);
  }
  bool changed = false;
  for (const MxnetEntry& entry : symbol.scopes.front().entries) {
    Value& variable = graph.values[entry.first_value];
    if (entry.node != kNone || variable.type.kind != ValueType::Kind::kUnknown) continue;
    for (const Use& use : variable.uses) {
      if (bound[use.node].empty() || variable.type.kind != ValueType::Kind::kUnknown) continue;
      const Parameter* parameter =
          Signature::At(typing.signatures[use.node]->inputs, static_cast<std::size_t>(use.input));
      if (parameter == nullptr || parameter->variable < 0 || !parameter->homogeneous) continue;
      variable.type = bound[use.node][parameter->variable];
    }
    changed = changed || variable.type.kind != ValueType::Kind::kUnknown;
  }
  return changed;
}

}  // namespace

Typing TypeMxnet(MxnetSymbol& symbol, MxnetOperators& operators) {
  Graph& graph = symbol.graph;
  // Each pass types one more layer. No known symbol needs this many.
  constexpr int kMaxPasses = 8;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    if (!TypeByOthers(symbol, InferTypes(graph, operators.signatures))) break;
  }
  for (const MxnetEntry& entry : symbol.scopes.front().entries) {
    ValueType& type = graph.values[entry.first_value].type;
    if (entry.node == kNone && type.kind == ValueType::Kind::kUnknown) {
      type = {ValueType::Kind::kTensor, Dtype::kFloat32};
    }
  }
  return InferTypes(graph, operators.signatures);
}

}  // namespace opledger
