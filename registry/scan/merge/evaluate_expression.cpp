// A recursive reader of the few operators that constants are made with. Unary and binary operators
// beyond those make the whole unknown.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/scan/merge/evaluate_parts.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;
using ValueKind = Value::Kind;

constexpr int kDeepestChoice = 500;  // choices inside a choice

Value Boolean(bool value) { return {ValueKind::kBoolean, value ? "true" : "false", {}, {}}; }

std::optional<bool> Truth(const Value& value) {
  if (value.kind == ValueKind::kBoolean) return value.text == "true";
  if (value.kind == ValueKind::kNumber) return value.text != "0";
  if (value.kind == ValueKind::kName && value.text == "nullptr") return false;
  if (value.kind == ValueKind::kString || value.kind == ValueKind::kFunction)
    return true;  // a pointer
  return std::nullopt;
}

Value Operation(const Value& a, tok::TokenKind sign, const Value& b) {
  std::optional<bool> left = Truth(a);
  std::optional<bool> right = Truth(b);
  if (sign == tok::ampamp || sign == tok::pipepipe) {
    bool decides = sign == tok::pipepipe;
    if ((left && *left == decides) || (right && *right == decides)) return Boolean(decides);
    return left && right ? Boolean(!decides) : Value();
  }
  if (sign == tok::equalequal || sign == tok::exclaimequal) {
    if (a.IsUnknown() || b.IsUnknown() || a.kind == ValueKind::kFunction) return {};
    return Boolean((a.kind == b.kind && a.text == b.text) == (sign == tok::equalequal));
  }
  if (a.kind != ValueKind::kString || b.kind != ValueKind::kString) return {};
  return {ValueKind::kString, a.text + b.text, {}, {}};
}

// The operators from the loosest to the tightest.
const std::vector<std::vector<tok::TokenKind>>& Levels() {
  static const std::vector<std::vector<tok::TokenKind>> levels{
      {tok::pipepipe}, {tok::ampamp}, {tok::equalequal, tok::exclaimequal}, {tok::plus}};
  return levels;
}

std::string WithoutSuffix(std::string number) {
  bool hexadecimal = number.starts_with("0x") || number.starts_with("0X");
  while (!hexadecimal && number.size() > 1 &&
         std::string_view("fFlLuU").find(number.back()) != std::string_view::npos) {
    number.pop_back();
  }
  return number;
}

}  // namespace

// What stands in the brackets that open here; moves behind them.
TokenSpan Expression::Group() {
  std::size_t open = at_;
  std::size_t close = ClosingBracket(tokens_, open);
  at_ = std::min(close + 1, tokens_.size());
  return tokens_.subspan(open + 1, close > open ? close - open - 1 : 0);
}

std::vector<Value> Expression::Arguments(TokenSpan group) {
  std::vector<Value> values;
  for (TokenSpan argument : SplitArguments(group)) {
    if (argument.empty()) continue;  // a comma at the end
    values.push_back(evaluator_.Evaluate(argument, scope_));
  }
  return values;
}

Value Expression::Read() {
  Value value = Choice();
  return at_ == tokens_.size() ? value : Value();
}

Value Expression::Choice() {
  if (++nesting_ > kDeepestChoice) {
    at_ = tokens_.size() + 1;
    return {};
  }
  Value condition = Both(0);
  if (!Is(tok::question)) return condition;
  ++at_;
  Value yes = Choice();
  if (!Is(tok::colon)) return {};
  ++at_;
  Value no = Choice();
  std::optional<bool> truth = Truth(condition);
  return !truth ? Value() : *truth ? yes : no;
}

Value Expression::Both(std::size_t level) {
  if (level == Levels().size()) return Negation();
  Value value = Both(level + 1);
  const auto& signs = Levels()[level];
  while (at_ < tokens_.size() &&
         std::find(signs.begin(), signs.end(), tokens_[at_].kind) != signs.end()) {
    tok::TokenKind sign = tokens_[at_++].kind;
    value = Operation(value, sign, Both(level + 1));
  }
  return value;
}

Value Expression::Negation() {
  std::size_t negations = 0;
  for (; Is(tok::exclaim); ++at_) ++negations;
  if (negations > 0) {
    std::optional<bool> truth = Truth(Negation());
    return truth ? Boolean(*truth == (negations % 2 == 0)) : Value();
  }
  if (Is(tok::minus)) {
    ++at_;
    Value value = Primary();
    return value.kind == ValueKind::kNumber ? Value{ValueKind::kNumber, "-" + value.text, {}, {}}
                                            : Value();
  }
  Value value = Primary();
  while (Is(tok::period) && at_ + 2 < tokens_.size()) {  // .c_str() and the like
    std::string method = tokens_[at_ + 1].text;
    at_ += 2;
    if (!Is(tok::l_paren)) return {};
    Group();
    if (method != "c_str") value = {};
  }
  return value;
}

Value Expression::Primary() {
  if (Is(tok::l_paren)) {
    TokenSpan group = Group();
    return evaluator_.Evaluate(group, scope_);
  }
  if (Is(tok::l_brace)) return {ValueKind::kList, {}, Arguments(Group()), {}};
  if (Is(tok::l_square)) return Lambda();
  if (Is(tok::numeric_constant)) {
    return {ValueKind::kNumber, WithoutSuffix(tokens_[at_++].text), {}, {}};
  }
  std::size_t end = at_;
  while (end < tokens_.size() && StringValue(tokens_.subspan(end, 1))) ++end;
  if (end > at_) {
    std::string text = *StringValue(tokens_.subspan(at_, end - at_));
    at_ = end;
    return {ValueKind::kString, std::move(text), {}, {}};
  }
  if (Is(tok::raw_identifier) || Is(tok::coloncolon)) return Qualified();
  at_ = tokens_.size() + 1;  // nothing known
  return {};
}

// At '<': the arguments of a template that is called, else none, and nothing is read.
std::vector<Value> Expression::TemplateArguments() {
  std::size_t begin = at_ + 1;
  int depth = 0;
  for (std::size_t at = at_; at < tokens_.size(); ++at) {
    depth += tokens_[at].kind == tok::less;
    depth -= tokens_[at].kind == tok::greater;
    depth -= 2 * (tokens_[at].kind == tok::greatergreater);
    if (depth > 0) continue;
    bool called = at + 1 < tokens_.size() && OpensBracket(tokens_[at + 1].kind);
    if (!called) return {};
    at_ = at + 1;
    return Arguments(tokens_.subspan(begin, at - begin));
  }
  return {};
}

// A name, perhaps called: OpSchema::floats(), types::Map<K>("float"), std::vector<T>{...}, x.
Value Expression::Qualified() {
  std::string path;
  std::string name;
  for (; Is(tok::raw_identifier) || Is(tok::coloncolon); ++at_) {
    path += tokens_[at_].text;
    if (Is(tok::raw_identifier)) name = tokens_[at_].text;
  }
  std::vector<Value> arguments;
  if (Is(tok::less)) arguments = TemplateArguments();
  if (Is(tok::l_paren) || Is(tok::l_brace)) {
    bool braces = Is(tok::l_brace);
    std::vector<Value> given = Arguments(Group());
    bool type = name == "static_cast" || path.starts_with("std::");
    if (type) arguments.clear();
    arguments.insert(arguments.end(), given.begin(), given.end());
    return Applied(path, std::move(arguments), braces);
  }
  auto variable = scope_.variables.find(path);
  if (variable != scope_.variables.end()) return variable->second;
  if (path == "true" || path == "false") return Boolean(path == "true");
  Value constant = evaluator_.Constant(name, scope_);
  if (constant.kind != ValueKind::kUnknown) return constant;
  bool enumerator = path != name || name == "nullptr";  // of an enumeration or a class
  return enumerator ? Value{ValueKind::kName, name, {}, {}} : Value();
}

Value Expression::Applied(const std::string& path, std::vector<Value> arguments, bool braces) {
  bool converts = path == "static_cast" || path == "std::move" || path == "std::string" ||
                  path == "std::vector";
  if (path == "std::vector" && (braces || arguments.empty())) {
    return {ValueKind::kList, {}, std::move(arguments), {}};
  }
  if (converts) return arguments.size() == 1 ? arguments.front() : Value();
  std::size_t scope = path.rfind("::");
  std::string name = scope == std::string::npos ? path : path.substr(scope + 2);
  return evaluator_.Call(name, arguments, scope_);
}

// [=](OpSchema& schema) { ... }, perhaps called on the spot.
Value Expression::Lambda() {
  Group();
  auto closure = std::make_shared<Closure>();
  if (Is(tok::l_paren)) {
    for (TokenSpan parameter : SplitArguments(Group())) {
      closure->parameters.push_back(parameter.empty() ? "" : parameter.back().text);
    }
  }
  while (at_ < tokens_.size() && !Is(tok::l_brace)) ++at_;  // mutable, -> type
  TokenSpan body = Group();
  if (Is(tok::l_paren)) {
    Group();
    Scope inner = scope_;
    return Body(evaluator_, inner, {}, nullptr).Run(body).value_or(Value());
  }
  closure->body.assign(body.begin(), body.end());
  closure->scope = scope_;
  for (const auto& [name, value] : scope_.variables) closure->scope.constants.insert(name);
  return {ValueKind::kFunction, {}, {}, std::move(closure)};
}

}  // namespace opledger::scan
