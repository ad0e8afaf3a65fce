// Compiles manifest fields into signatures when an operator is looked up.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/graph/signature.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "registry/platform/platform.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

struct Spelling {
  std::string_view name;
  Dtype dtype;
};

constexpr Spelling kSpellings[] = {
    {"float", Dtype::kFloat32},           {"float16", Dtype::kFloat16},
    {"bfloat16", Dtype::kBfloat16},       {"double", Dtype::kFloat64},
    {"float8e4m3fn", Dtype::kFloat8E4M3}, {"float8e5m2", Dtype::kFloat8E5M2},
};

std::optional<Dtype> Spelled(std::string_view name) {
  for (const Spelling& each : kSpellings) {
    if (each.name == name) return each.dtype;
  }
  return ParseDtype(name);
}

const std::vector<FieldValue>& Values(const Fields& fields, const char* field) {
  static const std::vector<FieldValue> none;
  const auto found = fields.find(field);
  return found == fields.end() ? none : found->second;
}

std::string Detail(const FieldValue& value, const char* name) {
  const auto found = value.details.find(name);
  return found == value.details.end() ? std::string() : found->second;
}

TypeSet ParseTypeSet(std::string_view text) {
  TypeSet set;
  set.others = text.empty();
  for (const std::string_view each : SplitOutsideBrackets(text, ',')) {
    const ValueType type = ParseValueType(Trimmed(each));
    set.Add(type);
  }
  return set;
}

TypeRule::Shape ParseShape(const std::string& as) {
  if (as == "sequence") return TypeRule::Shape::kSequence;
  if (as == "optional") return TypeRule::Shape::kOptional;
  if (as == "element") return TypeRule::Shape::kElement;
  if (as == "content") return TypeRule::Shape::kContent;
  if (as == "mapped") return TypeRule::Shape::kMapped;
  return TypeRule::Shape::kSame;
}

class Compiler {
 public:
  Compiler(const Fields& fields, Signature& signature) : fields_(fields), signature_(signature) {}

  void Compile() {
    for (const FieldValue& variable : Values(fields_, "type_variables")) {
      names_.push_back(variable.key);
      signature_.variables.push_back(ParseTypeSet(variable.value));
    }
    for (const FieldValue& attribute : Values(fields_, "attributes")) {
      const std::string number = Detail(attribute, "default_number");
      const std::string value = number.empty() ? Detail(attribute, "default") : number;
      if (!value.empty()) signature_.defaults[attribute.key] = value;
      const bool optional =
          attribute.details.count("default") != 0 || Detail(attribute, "required") == "false";
      signature_.attributes[attribute.key] = {attribute.value, !optional};
    }
    AddParameters("inputs", signature_.inputs);
    AddParameters("outputs", signature_.outputs);
    for (const FieldValue& value : Values(fields_, "typed_by_attribute")) ByAttribute(value);
    for (const FieldValue& value : Values(fields_, "typed_by_input")) ByInput(value);
    for (const FieldValue& value : Values(fields_, "typed_by_subgraph")) BySubgraph(value);
    for (const FieldValue& value : Values(fields_, "typed_when")) When(value);
    for (const FieldValue& value : Values(fields_, "typed_as")) {
      Rule(TypeRule::Kind::kAs, value).type = TensorNamed(value.value);
    }
  }

 private:
  void AddParameters(const char* field, std::vector<Parameter>& parameters) {
    for (const FieldValue& value : Values(fields_, field)) {
      Parameter& parameter = parameters.emplace_back();
      parameter.name = value.key;
      const auto name = std::find(names_.begin(), names_.end(), value.value);
      if (name != names_.end()) {
        parameter.variable = static_cast<int>(name - names_.begin());
      } else {
        parameter.type = ParseValueType(value.value);
      }
      parameter.optional = Detail(value, "option") == "Optional";
      parameter.variadic = Detail(value, "option") == "Variadic";
      parameter.homogeneous = Detail(value, "homogeneous") != "false";
      if (const std::string minimum = Detail(value, "minimum"); !minimum.empty()) {
        parameter.minimum = std::atoi(minimum.c_str());
      }
    }
  }

  TypeRule& Rule(TypeRule::Kind kind, const FieldValue& value) {
    TypeRule& rule = signature_.rules.emplace_back();
    rule.kind = kind;
    rule.output = value.key == "*" ? -1 : std::atoi(value.key.c_str());
    rule.shape = ParseShape(Detail(value, "as"));
    return rule;
  }

  void ByAttribute(const FieldValue& value) {
    TypeRule& rule = Rule(TypeRule::Kind::kAttribute, value);
    rule.attribute = value.value;
    std::string absent = Detail(value, "default");
    for (const FieldValue& attribute : Values(fields_, "attributes")) {
      if (absent.empty() && attribute.key == value.value) absent = Detail(attribute, "default");
    }
    if (!absent.empty() && absent != "0") rule.type = TensorNamed(absent);
  }

  void ByInput(const FieldValue& value) {
    Rule(TypeRule::Kind::kInput, value).input = std::atoi(value.value.c_str());
  }

  void BySubgraph(const FieldValue& value) {
    TypeRule& rule = Rule(TypeRule::Kind::kSubgraph, value);
    rule.attribute = value.value;
    rule.first = static_cast<std::size_t>(std::atoi(Detail(value, "first").c_str()));
  }

  void When(const FieldValue& value) {
    TypeRule& rule = Rule(TypeRule::Kind::kWhen, value);
    rule.type = ParseValueType(value.value);
    rule.attribute = Detail(value, "attribute");
    const std::string input = Detail(value, "input");
    if (input.empty()) {
      rule.equals = Detail(value, "equals");
    } else {
      rule.input = std::atoi(input.c_str());
      rule.input_type = ParseValueType(Detail(value, "equals"));
    }
  }

  const Fields& fields_;
  Signature& signature_;
  std::vector<std::string> names_;
};

// Adds versions that are not known yet.
void AddVersions(const Operator* op, std::map<int, Signature>& versions) {
  if (op == nullptr) return;
  const auto add = [&](int since, const Fields& fields) {
    const auto [place, is_new] = versions.try_emplace(since);
    if (!is_new) return;
    place->second.since = since;
    Compiler(fields, place->second).Compile();
  };
  add(op->since, op->fields);
  for (const OperatorVersion& version : op->earlier) add(version.since, version.fields);
}

}  // namespace

void TypeSet::Add(const ValueType& type) {
  std::bitset<32>* set = type.kind == ValueType::Kind::kTensor             ? &tensors
                         : type.kind == ValueType::Kind::kSequence         ? &sequences
                         : type.kind == ValueType::Kind::kOptional         ? &optionals
                         : type.kind == ValueType::Kind::kOptionalSequence ? &optional_sequences
                                                                           : nullptr;
  if (set != nullptr && type.dtype) {
    set->set(static_cast<std::size_t>(*type.dtype));
  } else {
    others = true;
  }
}

bool TypeSet::Allows(const ValueType& type) const {
  if (!type.dtype) return true;
  const auto at = static_cast<std::size_t>(*type.dtype);
  switch (type.kind) {
    case ValueType::Kind::kTensor:
      return tensors[at];
    case ValueType::Kind::kSequence:
      return sequences[at];
    case ValueType::Kind::kOptional:
      return optionals[at];
    case ValueType::Kind::kOptionalSequence:
      return optional_sequences[at];
    default:
      return true;
  }
}

const Parameter* Signature::At(const std::vector<Parameter>& parameters, std::size_t position) {
  if (position < parameters.size()) return &parameters[position];
  const bool more = !parameters.empty() && parameters.back().variadic;
  return more ? &parameters.back() : nullptr;
}

std::optional<Signatures> Signatures::Load(const std::string& name, Diagnostics& diagnostics) {
  Signatures signatures;
  signatures.manifest_ =
      ManifestLines::Read(DataDirectory() + "/operators/" + name + ".json", diagnostics);
  if (!signatures.manifest_) return std::nullopt;
  return signatures;
}

Signatures Signatures::Of(const std::map<std::string, Signature>& signatures) {
  Signatures all;
  for (const auto& [op, signature] : signatures) all.known_[op].versions.emplace(0, signature);
  return all;
}

const Operator* Signatures::FindOfRuntime(const std::string& name) {
  if (!manifest_) return nullptr;
  if (!std::exchange(runtime_read_, true)) {
    Diagnostics none;  // if it cannot be read, its operators are unknown
    runtime_ = ManifestLines::Read(DataDirectory() + "/operators/com.microsoft.json", none);
  }
  return runtime_ ? runtime_->Find(name) : nullptr;
}

const Signature* Signatures::Find(std::string_view domain, std::string_view op,
                                  std::int64_t opset) {
  const std::string name = QualifiedName(domain, op);
  const int version = static_cast<int>(std::min<std::int64_t>(opset, 1 << 20));
  const auto [known, is_new] = known_.try_emplace(name);
  std::map<int, Signature>& versions = known->second.versions;
  const auto newest = [&]() -> const Signature* {
    const auto after = versions.upper_bound(version);
    return after == versions.begin() ? nullptr : &std::prev(after)->second;
  };
  if (is_new && manifest_) AddVersions(manifest_->Find(name), versions);
  const Signature* found = newest();
  if (found != nullptr || std::exchange(known->second.asked_runtime, true)) return found;
  AddVersions(FindOfRuntime(name), versions);
  return newest();
}

ValueType TensorNamed(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return {ValueType::Kind::kTensor, Spelled(lower)};
}

ValueType ParseValueType(std::string_view text) {
  using Kind = ValueType::Kind;
  const auto inside = [&](std::string_view outer) -> std::string_view {
    if (!text.starts_with(outer) || !text.ends_with(")")) return {};
    return text.substr(outer.size(), text.size() - outer.size() - 1);
  };
  if (const auto name = inside("tensor("); !name.empty()) return {Kind::kTensor, Spelled(name)};
  if (const auto name = inside("sparse_tensor("); !name.empty()) {
    return {Kind::kSparseTensor, Spelled(name)};
  }
  for (const auto& [outer, kind] :
       {std::pair("seq(", Kind::kSequence), std::pair("optional(", Kind::kOptional)}) {
    const auto inner = inside(outer);
    if (inner.empty()) continue;
    const ValueType element = ParseValueType(inner);
    if (element.kind == Kind::kTensor) return {kind, element.dtype};
    if (kind == Kind::kOptional && element.kind == Kind::kSequence) {
      return {Kind::kOptionalSequence, element.dtype};
    }
  }
  return {Kind::kOther, std::nullopt};
}

std::string TypeText(const ValueType& type) {
  std::string tensor = std::string("tensor(") + (type.dtype ? DtypeName(*type.dtype) : "?") + ")";
  switch (type.kind) {
    case ValueType::Kind::kTensor:
      return tensor;
    case ValueType::Kind::kSparseTensor:
      return "sparse_" + tensor;
    case ValueType::Kind::kSequence:
      return "seq(" + tensor + ")";
    case ValueType::Kind::kOptional:
      return "optional(" + tensor + ")";
    case ValueType::Kind::kOptionalSequence:
      return "optional(seq(" + tensor + "))";
    case ValueType::Kind::kOther:
      return "other";
    case ValueType::Kind::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace opledger
