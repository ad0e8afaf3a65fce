// Evaluates expressions with a recursive-descent reader of the few operators that constants use;
// any other operator makes the value unknown. Runs the statements of function bodies in order:
// declarations, assignments, appends to lists, ifs with a known condition, returns, and method
// calls on the receiver. Any other statement makes the variables that it mentions unknown.
// Definitions of the same file take precedence; definitions in other files must agree.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/merge/evaluate.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "registry/scan/lex/raw_lexer.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;
using ValueKind = ConstantValue::Kind;

constexpr int kMaxCallDepth = 40;    // nested calls
constexpr long kMaxSteps = 100'000;  // statements and expressions per registration
constexpr std::size_t kMaxExpressionTokens = 20'000;
constexpr std::size_t kMaxTextLength = 10'000;
constexpr std::size_t kMaxListLength = 10'000;

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Fills the placeholders of "tensor({0:lower})". Unknown if an argument is missing or unknown.
ConstantValue Filled(const std::string& text, const std::vector<ConstantValue>& arguments) {
  ConstantValue filled{ValueKind::kString, {}, {}, {}};
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

// Like Filled, once for each item if an argument that the text uses is a list.
ConstantValue FilledForEach(const std::string& text, const std::vector<ConstantValue>& arguments) {
  auto list = std::find_if(arguments.begin(), arguments.end(), [&](const ConstantValue& value) {
    std::string place = "{" + std::to_string(&value - arguments.data());
    return value.kind == ValueKind::kList && text.find(place) != std::string::npos;
  });
  if (list == arguments.end()) return Filled(text, arguments);
  ConstantValue result{ValueKind::kList, {}, {}, {}};
  for (const ConstantValue& item : list->items) {
    std::vector<ConstantValue> one = arguments;
    one[static_cast<std::size_t>(list - arguments.begin())] = item;
    result.items.push_back(FilledForEach(text, one));
  }
  return result;
}

constexpr int kMaxChoiceDepth = 500;  // nested ?: operators

ConstantValue Boolean(bool value) {
  return {ValueKind::kBoolean, value ? "true" : "false", {}, {}};
}

std::optional<bool> Truth(const ConstantValue& value) {
  if (value.kind == ValueKind::kBoolean) return value.text == "true";
  if (value.kind == ValueKind::kNumber) return value.text != "0";
  if (value.kind == ValueKind::kName && value.text == "nullptr") return false;
  if (value.kind == ValueKind::kString || value.kind == ValueKind::kFunction)
    return true;  // a pointer
  return std::nullopt;
}

ConstantValue Operation(const ConstantValue& a, tok::TokenKind sign, const ConstantValue& b) {
  std::optional<bool> left = Truth(a);
  std::optional<bool> right = Truth(b);
  if (sign == tok::ampamp || sign == tok::pipepipe) {
    bool decides = sign == tok::pipepipe;
    if ((left && *left == decides) || (right && *right == decides)) return Boolean(decides);
    return left && right ? Boolean(!decides) : ConstantValue();
  }
  if (sign == tok::equalequal || sign == tok::exclaimequal) {
    if (a.IsUnknown() || b.IsUnknown() || a.kind == ValueKind::kFunction) return {};
    return Boolean((a.kind == b.kind && a.text == b.text) == (sign == tok::equalequal));
  }
  if (a.kind != ValueKind::kString || b.kind != ValueKind::kString) return {};
  return {ValueKind::kString, a.text + b.text, {}, {}};
}

// Binary operators, from lowest to highest precedence.
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

constexpr int kMaxBlockDepth = 200;  // nested blocks

bool Governs(std::string_view word) {
  return word == "if" || word == "for" || word == "while" || word == "switch" || word == "do" ||
         word == "try";
}

class Expression {
 public:
  Expression(Evaluator& evaluator, TokenSpan tokens, EvaluationScope& scope)
      : evaluator_(evaluator), tokens_(tokens), scope_(scope) {}

  ConstantValue Read();

 private:
  bool Is(clang::tok::TokenKind kind) const {
    return at_ < tokens_.size() && tokens_[at_].kind == kind;
  }
  TokenSpan Group();
  std::vector<ConstantValue> Arguments(TokenSpan group);
  ConstantValue Choice();
  ConstantValue Both(std::size_t level);
  ConstantValue Negation();
  ConstantValue Primary();
  ConstantValue Qualified();
  ConstantValue Applied(const std::string& path, std::vector<ConstantValue> arguments, bool braces);
  ConstantValue Lambda();
  std::vector<ConstantValue> TemplateArguments();

  Evaluator& evaluator_;
  TokenSpan tokens_;
  EvaluationScope& scope_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

class Body {
 public:
  // `receiver`: the parameter whose method calls are reported; empty for none.
  Body(Evaluator& evaluator, EvaluationScope& scope, std::string receiver,
       const Evaluator::OnMethod* on_method)
      : evaluator_(evaluator),
        scope_(scope),
        receiver_(std::move(receiver)),
        on_method_(on_method) {}

  // Returns the returned value; nullopt if the body does not return one.
  std::optional<ConstantValue> Run(TokenSpan tokens);
  bool followed() const { return followed_; }

 private:
  std::size_t Statement(TokenSpan tokens, std::size_t at);
  void If(TokenSpan statement);
  std::size_t EndOf(TokenSpan tokens, std::size_t at) const;
  void Simple(TokenSpan statement);
  void MethodsOf(TokenSpan statement);
  bool Assign(TokenSpan statement);
  bool Append(TokenSpan statement);
  bool Mentions(TokenSpan tokens, const std::string& name) const;
  void Invalidate(TokenSpan statement);

  Evaluator& evaluator_;
  EvaluationScope& scope_;
  std::string receiver_;
  const Evaluator::OnMethod* on_method_;
  std::optional<ConstantValue> returned_;
  int nesting_ = 0;
  bool done_ = false;
  bool followed_ = true;
};

// Returns the tokens inside the brackets that open here, and moves past them.
TokenSpan Expression::Group() {
  std::size_t open = at_;
  std::size_t close = ClosingBracket(tokens_, open);
  at_ = std::min(close + 1, tokens_.size());
  return tokens_.subspan(open + 1, close > open ? close - open - 1 : 0);
}

std::vector<ConstantValue> Expression::Arguments(TokenSpan group) {
  std::vector<ConstantValue> values;
  for (TokenSpan argument : SplitArguments(group)) {
    if (argument.empty()) continue;  // a trailing comma
    values.push_back(evaluator_.Evaluate(argument, scope_));
  }
  return values;
}

ConstantValue Expression::Read() {
  ConstantValue value = Choice();
  return at_ == tokens_.size() ? value : ConstantValue();
}

ConstantValue Expression::Choice() {
  if (++nesting_ > kMaxChoiceDepth) {
    at_ = tokens_.size() + 1;
    return {};
  }
  ConstantValue condition = Both(0);
  if (!Is(tok::question)) return condition;
  ++at_;
  ConstantValue yes = Choice();
  if (!Is(tok::colon)) return {};
  ++at_;
  ConstantValue no = Choice();
  std::optional<bool> truth = Truth(condition);
  return !truth ? ConstantValue() : *truth ? yes : no;
}

ConstantValue Expression::Both(std::size_t level) {
  if (level == Levels().size()) return Negation();
  ConstantValue value = Both(level + 1);
  const auto& signs = Levels()[level];
  while (at_ < tokens_.size() &&
         std::find(signs.begin(), signs.end(), tokens_[at_].kind) != signs.end()) {
    tok::TokenKind sign = tokens_[at_++].kind;
    value = Operation(value, sign, Both(level + 1));
  }
  return value;
}

ConstantValue Expression::Negation() {
  std::size_t negations = 0;
  for (; Is(tok::exclaim); ++at_) ++negations;
  if (negations > 0) {
    std::optional<bool> truth = Truth(Negation());
    return truth ? Boolean(*truth == (negations % 2 == 0)) : ConstantValue();
  }
  if (Is(tok::minus)) {
    ++at_;
    ConstantValue value = Primary();
    return value.kind == ValueKind::kNumber
               ? ConstantValue{ValueKind::kNumber, "-" + value.text, {}, {}}
               : ConstantValue();
  }
  ConstantValue value = Primary();
  while (Is(tok::period) && at_ + 2 < tokens_.size()) {  // .c_str() and the like
    std::string method(tokens_[at_ + 1].text);
    at_ += 2;
    if (!Is(tok::l_paren)) return {};
    Group();
    if (method != "c_str") value = {};
  }
  return value;
}

ConstantValue Expression::Primary() {
  if (Is(tok::l_paren)) {
    TokenSpan group = Group();
    return evaluator_.Evaluate(group, scope_);
  }
  if (Is(tok::l_brace)) return {ValueKind::kList, {}, Arguments(Group()), {}};
  if (Is(tok::l_square)) return Lambda();
  if (Is(tok::numeric_constant)) {
    return {ValueKind::kNumber, WithoutSuffix(std::string(tokens_[at_++].text)), {}, {}};
  }
  std::size_t end = at_;
  while (end < tokens_.size() && StringValue(tokens_.subspan(end, 1))) ++end;
  if (end > at_) {
    std::string text = *StringValue(tokens_.subspan(at_, end - at_));
    at_ = end;
    return {ValueKind::kString, std::move(text), {}, {}};
  }
  if (Is(tok::raw_identifier) || Is(tok::coloncolon)) return Qualified();
  at_ = tokens_.size() + 1;  // unknown
  return {};
}

// Called at '<': reads and returns the arguments of a template if it is called; otherwise reads
// nothing.
std::vector<ConstantValue> Expression::TemplateArguments() {
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

// Reads a name or call: OpSchema::floats(), types::Map<K>("float"), std::vector<T>{...}, x.
ConstantValue Expression::Qualified() {
  std::string path;
  std::string name;
  for (; Is(tok::raw_identifier) || Is(tok::coloncolon); ++at_) {
    path += tokens_[at_].text;
    if (Is(tok::raw_identifier)) name = tokens_[at_].text;
  }
  std::vector<ConstantValue> arguments;
  if (Is(tok::less)) arguments = TemplateArguments();
  if (Is(tok::l_paren) || Is(tok::l_brace)) {
    bool braces = Is(tok::l_brace);
    std::vector<ConstantValue> given = Arguments(Group());
    bool type = name == "static_cast" || path.starts_with("std::");
    if (type) arguments.clear();
    arguments.insert(arguments.end(), given.begin(), given.end());
    return Applied(path, std::move(arguments), braces);
  }
  auto variable = scope_.variables.find(path);
  if (variable != scope_.variables.end()) return variable->second;
  if (path == "true" || path == "false") return Boolean(path == "true");
  ConstantValue constant = evaluator_.Constant(name, scope_);
  if (constant.kind != ValueKind::kUnknown) return constant;
  bool enumerator = path != name || name == "nullptr";  // of an enum or class
  return enumerator ? ConstantValue{ValueKind::kName, name, {}, {}} : ConstantValue();
}

ConstantValue Expression::Applied(const std::string& path, std::vector<ConstantValue> arguments,
                                  bool braces) {
  bool converts = path == "static_cast" || path == "std::move" || path == "std::string" ||
                  path == "std::vector";
  if (path == "std::vector" && (braces || arguments.empty())) {
    return {ValueKind::kList, {}, std::move(arguments), {}};
  }
  if (converts) return arguments.size() == 1 ? arguments.front() : ConstantValue();
  std::size_t scope = path.rfind("::");
  std::string name = scope == std::string::npos ? path : path.substr(scope + 2);
  return evaluator_.Call(name, arguments, scope_);
}

// Reads a lambda, possibly called at once: [=](OpSchema& schema) { ... }
ConstantValue Expression::Lambda() {
  Group();
  auto closure = std::make_shared<Closure>();
  if (Is(tok::l_paren)) {
    for (TokenSpan parameter : SplitArguments(Group())) {
      closure->parameters.emplace_back(parameter.empty() ? "" : parameter.back().text);
    }
  }
  while (at_ < tokens_.size() && !Is(tok::l_brace)) ++at_;  // mutable, -> type
  TokenSpan body = Group();
  if (Is(tok::l_paren)) {
    Group();
    EvaluationScope inner = scope_;
    return Body(evaluator_, inner, {}, nullptr).Run(body).value_or(ConstantValue());
  }
  closure->body.assign(body.begin(), body.end());
  closure->scope = scope_;
  for (const auto& [name, value] : scope_.variables) closure->scope.constants.insert(name);
  return {ValueKind::kFunction, {}, {}, std::move(closure)};
}

bool Body::Mentions(TokenSpan tokens, const std::string& name) const {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const TextToken& token) { return token.text == name; });
}

// Returns the end of the statement at `at`: after its ';', its block, or its substatement.
std::size_t Body::EndOf(TokenSpan tokens, std::size_t at) const {
  if (at >= tokens.size()) return tokens.size();
  if (tokens[at].kind == tok::l_brace)
    return std::min(ClosingBracket(tokens, at) + 1, tokens.size());
  if (Governs(tokens[at].text)) {
    std::size_t open = at + 1;
    while (open < tokens.size() && tokens[open].kind == tok::raw_identifier) ++open;  // constexpr
    bool condition = open < tokens.size() && tokens[open].kind == tok::l_paren;
    std::size_t end = EndOf(tokens, condition ? ClosingBracket(tokens, open) + 1 : at + 1);
    bool more = end < tokens.size() && tokens[end].text == "else";
    return more ? EndOf(tokens, end + 1) : end;
  }
  while (at < tokens.size() && tokens[at].kind != tok::semi) {
    bool opens = tokens[at].kind == tok::l_paren || tokens[at].kind == tok::l_brace ||
                 tokens[at].kind == tok::l_square;
    at = opens ? ClosingBracket(tokens, at) + 1 : at + 1;
  }
  return std::min(at + 1, tokens.size());
}

std::optional<ConstantValue> Body::Run(TokenSpan tokens) {
  if (++nesting_ > kMaxBlockDepth) Invalidate(tokens);
  for (std::size_t at = 0; at < tokens.size() && !done_;) at = Statement(tokens, at);
  --nesting_;
  return returned_;
}

// Called at "if": runs the branch that is taken.
void Body::If(TokenSpan statement) {
  std::size_t open = statement.size() > 1 && statement[1].kind == tok::l_paren ? 1 : 2;
  std::size_t close = open < statement.size() ? ClosingBracket(statement, open) : statement.size();
  if (close >= statement.size()) return Invalidate(statement);
  // Negation turns a pointer or number into a boolean.
  std::vector<TextToken> condition{{.kind = tok::exclaim, .text = "!"}};
  for (std::size_t i = open; i <= close; ++i) condition.push_back(statement[i]);
  ConstantValue no = evaluator_.Evaluate(condition, scope_);
  if (no.kind != ValueKind::kBoolean) return Invalidate(statement);
  std::size_t then = close + 1;
  std::size_t end = EndOf(statement, then);
  // An inner if would own the else.
  bool inner = then < statement.size() && Governs(statement[then].text);
  if (inner) return Invalidate(statement);
  if (no.text == "false") {
    Run(statement.subspan(then, end - then));
  } else if (end < statement.size()) {
    Run(statement.subspan(end + 1));
  }
}

std::size_t Body::Statement(TokenSpan tokens, std::size_t at) {
  if (!evaluator_.Spend()) {
    followed_ = false;
    done_ = true;
    return tokens.size();
  }
  const std::string_view word = tokens[at].text;
  std::size_t end = EndOf(tokens, at);
  TokenSpan statement = tokens.subspan(at, end - at);
  if (word == "if") {
    If(statement);
  } else if (Governs(word)) {
    Invalidate(statement);
  } else if (word == "{") {
    Run(statement.subspan(1, statement.size() - 2));
  } else {
    if (statement.back().kind == tok::semi) statement = statement.first(statement.size() - 1);
    if (word == "return") {
      returned_ = evaluator_.Evaluate(statement.subspan(1), scope_);
      done_ = true;
    } else if (!statement.empty()) {
      Simple(statement);
    }
  }
  return end;
}

// Makes everything unknown that an unsupported statement may change.
void Body::Invalidate(TokenSpan statement) {
  for (auto& [name, value] : scope_.variables) {
    if (Mentions(statement, name) && !scope_.constants.contains(name)) value = {};
  }
  if (!receiver_.empty() && Mentions(statement, receiver_)) followed_ = false;
  bool returns = Mentions(statement, "return");
  if (returns) {
    returned_ = ConstantValue();
    followed_ = false;
    done_ = true;
  }
}

void Body::Simple(TokenSpan statement) {
  if (statement.size() > 2 && statement[0].text == receiver_ && statement[1].kind == tok::period) {
    return MethodsOf(statement);
  }
  if (Append(statement) || Assign(statement)) return;
  Invalidate(statement);
}

// Reports the method calls on the receiver: schema.Input(...).Output(...)
void Body::MethodsOf(TokenSpan statement) {
  std::size_t at = 1;
  while (at + 2 < statement.size() && statement[at].kind == tok::period) {
    const std::string method(statement[at + 1].text);
    std::size_t open = at + 2;
    if (statement[open].kind != tok::l_paren) break;
    std::size_t close = ClosingBracket(statement, open);
    if (close >= statement.size()) break;
    (*on_method_)(method, SplitArguments(InsideBracket(statement, open)), scope_);
    at = close + 1;
  }
  if (at != statement.size()) followed_ = false;
}

// Runs x.push_back(a), x.emplace_back(a), or x.insert(x.end(), y.begin(), y.end()).
bool Body::Append(TokenSpan statement) {
  if (statement.size() < 5 || statement[1].kind != tok::period) return false;
  auto variable = scope_.variables.find(std::string(statement[0].text));
  if (variable == scope_.variables.end() || statement[3].kind != tok::l_paren) return false;
  const std::string_view method = statement[2].text;
  std::size_t close = ClosingBracket(statement, 3);
  if (close + 1 != statement.size()) return false;
  std::vector<TokenSpan> arguments = SplitArguments(InsideBracket(statement, 3));
  ConstantValue added;
  if ((method == "push_back" || method == "emplace_back") && arguments.size() == 1) {
    added = {ValueKind::kList, {}, {evaluator_.Evaluate(arguments[0], scope_)}, {}};
  } else if (method == "insert" && arguments.size() == 3 && arguments[1].size() > 4 &&
             arguments[1][arguments[1].size() - 3].text == "begin") {
    added = evaluator_.Evaluate(arguments[1].first(arguments[1].size() - 4), scope_);
  }
  ConstantValue& list = variable->second;
  if (list.kind != ValueKind::kList || added.kind != ValueKind::kList) {
    list = {};
    return true;
  }
  list.items.insert(list.items.end(), added.items.begin(), added.items.end());
  return true;
}

// Runs an assignment or declaration: [static const auto] x = expression
bool Body::Assign(TokenSpan statement) {
  int depth = 0;
  for (std::size_t at = 0; at < statement.size(); ++at) {
    tok::TokenKind kind = statement[at].kind;
    depth += kind == tok::l_paren || kind == tok::l_brace || kind == tok::l_square;
    depth -= kind == tok::r_paren || kind == tok::r_brace || kind == tok::r_square;
    if (depth != 0 || kind != tok::equal) continue;
    if (at == 0 || statement[at - 1].kind != tok::raw_identifier) return false;
    if (at > 1 && (statement[at - 2].kind == tok::period || statement[at - 2].kind == tok::arrow)) {
      return false;
    }
    scope_.variables[std::string(statement[at - 1].text)] =
        evaluator_.Evaluate(statement.subspan(at + 1), scope_);
    return true;
  }
  // std::vector<std::string> x; is an empty list; other types are unknown.
  bool declares = statement.size() > 1 && statement.back().kind == tok::raw_identifier &&
                  std::none_of(statement.begin(), statement.end(), [](const TextToken& token) {
                    return token.kind == tok::l_paren || token.kind == tok::period;
                  });
  if (!declares) return false;
  bool list = Mentions(statement, "vector");
  scope_.variables[std::string(statement.back().text)] = {
      list ? ValueKind::kList : ValueKind::kUnknown, {}, {}, {}};
  return true;
}

}  // namespace

bool ConstantValue::IsUnknown() const {
  return kind == ValueKind::kUnknown ||
         std::any_of(items.begin(), items.end(),
                     [](const ConstantValue& item) { return item.IsUnknown(); });
}

std::string ConstantValue::Text() const {
  if (kind != ValueKind::kList) return text;
  std::string all;
  for (const ConstantValue& item : items) all += (all.empty() ? "" : ", ") + item.Text();
  return all;
}

void Evaluator::Add(const std::string& file, const std::vector<Definition>& definitions) {
  for (const Definition& definition : definitions) {
    definitions_.emplace(definition.name, Known{file, &definition});
  }
}

bool Evaluator::Spend() { return ++steps_ < kMaxSteps; }

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

TokenSpan Evaluator::TokensOf(const std::string& text) {
  const std::vector<TextToken>& tokens = lexed_.try_emplace(&text, text).first->second.tokens;
  return tokens.size() > kMaxExpressionTokens ? TokenSpan() : tokens;
}

// A default may be at the definition or at any declaration.
ConstantValue Evaluator::DefaultOf(const std::string& name, std::size_t parameter) {
  auto [begin, end] = definitions_.equal_range(name);
  for (auto at = begin; at != end; ++at) {
    const Known& known = at->second;
    const auto& parameters = known.definition->parameters;
    if (parameter >= parameters.size() || parameters[parameter].value.empty()) continue;
    EvaluationScope scope{known.file, {}, {}};
    return Evaluate(TokensOf(parameters[parameter].value), scope);
  }
  return {};
}

ConstantValue Evaluator::Evaluate(TokenSpan expression, EvaluationScope& scope) {
  if (!Spend() || depth_ > kMaxCallDepth || expression.empty()) return {};
  if (expression.size() > kMaxExpressionTokens) return {};
  ++depth_;
  ConstantValue value = Expression(*this, expression, scope).Read();
  --depth_;
  bool large = value.text.size() > kMaxTextLength || value.items.size() > kMaxListLength;
  return large ? ConstantValue() : value;
}

ConstantValue Evaluator::Constant(const std::string& name, const EvaluationScope& scope) {
  if (auto known_word = how_.words.find(name); known_word != how_.words.end()) {
    return known_word->second.size() == 1 ? Filled(known_word->second.front(), {})
                                          : ConstantValue();
  }
  const Known* known = Find(name, -1, scope.file);
  if (known == nullptr) return {};
  EvaluationScope inside{known->file, {}, {}};
  return Evaluate(TokensOf(known->definition->text), inside);
}

ConstantValue Evaluator::Call(const std::string& name, const std::vector<ConstantValue>& arguments,
                              const EvaluationScope& scope) {
  if (auto known_word = how_.words.find(name); known_word != how_.words.end()) {
    if (known_word->second.size() == 1) return FilledForEach(known_word->second.front(), arguments);
    ConstantValue joined{ValueKind::kList, {}, {}, {}};
    for (const std::string& text : known_word->second) {
      ConstantValue part = FilledForEach(text, arguments);
      if (part.kind != ValueKind::kList) return {};
      joined.items.insert(joined.items.end(), part.items.begin(), part.items.end());
    }
    return joined;
  }
  const Known* known = Find(name, static_cast<int>(arguments.size()), scope.file);
  if (known == nullptr || depth_ > kMaxCallDepth) return {};
  const auto& parameters = known->definition->parameters;
  EvaluationScope inside{known->file, {}, {}};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    inside.variables[parameters[i].name] = i < arguments.size() ? arguments[i] : DefaultOf(name, i);
  }
  ++depth_;
  ConstantValue value = Body(*this, inside, {}, nullptr)
                            .Run(TokensOf(known->definition->text))
                            .value_or(ConstantValue());
  --depth_;
  return value;
}

bool Evaluator::Populate(const ConstantValue& function, const OnMethod& on_method) {
  if (function.kind != ValueKind::kFunction || function.function->parameters.size() != 1)
    return false;
  EvaluationScope scope = function.function->scope;
  Body body(*this, scope, function.function->parameters.front(), &on_method);
  body.Run(function.function->body);
  return body.followed();
}

}  // namespace opledger::scan
