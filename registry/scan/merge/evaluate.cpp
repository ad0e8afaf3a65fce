// Functions and constants of the sources are looked for in the same file first; elsewhere there may
// be one only.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/merge/evaluate.h"

#include <algorithm>
#include <cctype>

#include "registry/scan/lex/raw_lexer.h"
#include "registry/scan/merge/evaluate_parts.h"

namespace opledger::scan {
namespace {

using ValueKind = Value::Kind;

constexpr int kDeepestCall = 40;      // calls inside calls
constexpr long kMostSteps = 100'000;  // statements and expressions for one registration
constexpr std::size_t kMostExpressionTokens = 20'000;
constexpr std::size_t kLongestText = 10'000;
constexpr std::size_t kLongestList = 10'000;

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// "tensor({0:lower})" with its places filled in; unknown where an argument is missing or no text.
Value Filled(const std::string& text, const std::vector<Value>& arguments) {
  Value filled{ValueKind::kString, {}, {}, {}};
  for (std::size_t at = 0; at < text.size();) {
    std::size_t close = text.find('}', at);
    if (text[at] != '{' || close == std::string::npos) {
      filled.text += text[at++];
      continue;
    }
    std::string place = text.substr(at + 1, close - at - 1);
    std::size_t index = place.empty() ? arguments.size() : static_cast<std::size_t>(place[0] - '0');
    if (index >= arguments.size() || arguments[index].IsUnknown()) return {};
    const std::string& given = arguments[index].text;
    filled.text += place.ends_with(":lower") ? Lower(given) : given;
    at = close + 1;
  }
  return filled;
}

// The same for each item where an argument that the text names is a list.
Value FilledForEach(const std::string& text, const std::vector<Value>& arguments) {
  auto list = std::find_if(arguments.begin(), arguments.end(), [&](const Value& value) {
    std::string place = "{" + std::to_string(&value - arguments.data());
    return value.kind == ValueKind::kList && text.find(place) != std::string::npos;
  });
  if (list == arguments.end()) return Filled(text, arguments);
  Value result{ValueKind::kList, {}, {}, {}};
  for (const Value& item : list->items) {
    std::vector<Value> one = arguments;
    one[static_cast<std::size_t>(list - arguments.begin())] = item;
    result.items.push_back(FilledForEach(text, one));
  }
  return result;
}

}  // namespace

bool Value::IsUnknown() const {
  return kind == ValueKind::kUnknown ||
         std::any_of(items.begin(), items.end(),
                     [](const Value& item) { return item.IsUnknown(); });
}

std::string Value::Text() const {
  if (kind != ValueKind::kList) return text;
  std::string all;
  for (const Value& item : items) all += (all.empty() ? "" : ", ") + item.Text();
  return all;
}

void Evaluator::Add(const std::string& file, const std::vector<Definition>& definitions) {
  for (const Definition& definition : definitions) {
    definitions_.emplace(definition.name, Known{file, &definition});
  }
}

bool Evaluator::Spend() { return ++steps_ < kMostSteps; }

const Evaluator::Known* Evaluator::Find(const std::string& name, int arguments,
                                        const std::string& file) const {
  const Known* found = nullptr;
  auto [begin, end] = definitions_.equal_range(name);
  for (auto at = begin; at != end; ++at) {
    const Known& known = at->second;
    if (known.definition->is_function != (arguments >= 0) || !known.definition->has_body) continue;
    if (static_cast<int>(known.definition->parameters.size()) < arguments) continue;
    if (known.file == file) return &known;
    bool differs = found != nullptr && found->definition->text != known.definition->text;
    if (differs) return nullptr;
    found = &known;
  }
  return found;
}

const std::vector<TextToken>& Evaluator::BodyOf(const Definition& definition) {
  auto [known, fresh] = bodies_.try_emplace(&definition);
  if (fresh) known->second = RawTokens(definition.text);
  if (known->second.size() > kMostExpressionTokens) known->second.clear();
  return known->second;
}

// Defaults stand at the definition or at some declaration.
Value Evaluator::DefaultOf(const std::string& name, std::size_t parameter) {
  auto [begin, end] = definitions_.equal_range(name);
  for (auto at = begin; at != end; ++at) {
    const Known& known = at->second;
    const auto& parameters = known.definition->parameters;
    if (parameter >= parameters.size() || parameters[parameter].value.empty()) continue;
    Scope scope{known.file, {}, {}};
    std::vector<TextToken> tokens = RawTokens(parameters[parameter].value);
    return Evaluate(tokens, scope);
  }
  return {};
}

Value Evaluator::Evaluate(TokenSpan expression, Scope& scope) {
  if (!Spend() || depth_ > kDeepestCall || expression.empty()) return {};
  if (expression.size() > kMostExpressionTokens) return {};
  ++depth_;
  Value value = Expression(*this, expression, scope).Read();
  --depth_;
  bool large = value.text.size() > kLongestText || value.items.size() > kLongestList;
  return large ? Value() : value;
}

Value Evaluator::Constant(const std::string& name, const Scope& scope) {
  if (auto told = how_.words.find(name); told != how_.words.end()) {
    return told->second.size() == 1 ? Filled(told->second.front(), {}) : Value();
  }
  const Known* known = Find(name, -1, scope.file);
  if (known == nullptr) return {};
  Scope inside{known->file, {}, {}};
  return Evaluate(BodyOf(*known->definition), inside);
}

Value Evaluator::Call(const std::string& name, const std::vector<Value>& arguments,
                      const Scope& scope) {
  if (auto told = how_.words.find(name); told != how_.words.end()) {
    if (told->second.size() == 1) return FilledForEach(told->second.front(), arguments);
    Value joined{ValueKind::kList, {}, {}, {}};
    for (const std::string& text : told->second) {
      Value part = FilledForEach(text, arguments);
      if (part.kind != ValueKind::kList) return {};
      joined.items.insert(joined.items.end(), part.items.begin(), part.items.end());
    }
    return joined;
  }
  const Known* known = Find(name, static_cast<int>(arguments.size()), scope.file);
  if (known == nullptr || depth_ > kDeepestCall) return {};
  const auto& parameters = known->definition->parameters;
  Scope inside{known->file, {}, {}};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    inside.variables[parameters[i].name] = i < arguments.size() ? arguments[i] : DefaultOf(name, i);
  }
  ++depth_;
  Value value = Body(*this, inside, {}, nullptr).Run(BodyOf(*known->definition)).value_or(Value());
  --depth_;
  return value;
}

bool Evaluator::Populate(const Value& function, const OnMethod& on_method) {
  if (function.kind != ValueKind::kFunction || function.function->parameters.size() != 1)
    return false;
  Scope scope = function.function->scope;
  Body body(*this, scope, function.function->parameters.front(), &on_method);
  body.Run(function.function->body);
  return body.followed();
}

}  // namespace opledger::scan
