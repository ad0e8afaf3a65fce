// TORCH_LIBRARY(ns, m) { m.def("add(Tensor a) -> Tensor"); }  ->  Registration{ns::add}
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "registry/scan/facts/schema_text.h"
#include "registry/scan/match/matcher.h"

namespace opledger::scan {

namespace tok = clang::tok;

namespace {

// Without the sinks that only wrap: kIdentity(a) -> a.
std::vector<TextToken> Unwrapped(TokenSpan tokens) {
  std::vector<TextToken> inner;
  std::vector<std::size_t> closes;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    bool opens = tokens[at].text == kIdentity && at + 1 < tokens.size() &&
                 tokens[at + 1].kind == tok::l_paren;
    if (opens) {
      closes.push_back(ClosingBracket(tokens, at + 1));
      ++at;
    } else if (!closes.empty() && closes.back() == at) {
      closes.pop_back();
    } else {
      inner.push_back(tokens[at]);
    }
  }
  return inner;
}

// "const Schema& schema", "Registry&&": a function's parameter, no value.
bool LooksLikeParameter(TokenSpan tokens) {
  if (tokens.empty()) return true;
  if (tokens.back().kind == tok::amp || tokens.back().kind == tok::ampamp ||
      tokens.back().kind == tok::star) {
    return true;
  }
  auto word = [](const TextToken& token) {
    return token.kind == tok::identifier || token.kind == tok::kw_const ||
           token.kind == tok::greater || token.kind == tok::greatergreater ||
           token.kind == tok::amp || token.kind == tok::ampamp;
  };
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (tokens[at].kind == tok::l_paren) return false;
    if (word(tokens[at]) && tokens[at + 1].kind == tok::identifier) return true;
  }
  return false;
}

}  // namespace

// At the token behind a scope macro's ')': its block begins, or it only declares one.
void Matcher::Open(const Sink& sink, const std::vector<TokenSpan>& arguments) {
  auto text_of = [&](int index) {
    std::size_t at = 2 + static_cast<std::size_t>(index);
    return index >= 0 && at < arguments.size() ? CanonicalText(arguments[at]) : std::string();
  };
  if (!token_.is(tok::l_brace)) return;
  ++depth_;
  scopes_.push_back({StringValue(arguments[1]).value_or(""), text_of(sink.scope->receiver),
                     text_of(sink.scope->key), depth_});
  Advance();
}

bool Matcher::CallsScope() {
  return token_.is(tok::identifier) && preprocessor_.LookAhead(0).is(tok::period) &&
         Spelling(token_) == scopes_.back().receiver;
}

// At the receiver of "m.def(...)".
void Matcher::ScopeCall() {
  const std::size_t token = context_.echo == nullptr ? 0 : context_.echo->Last();
  Advance();
  Advance();
  if (!token_.is(tok::identifier)) return;
  std::string name = Spelling(token_);
  clang::SourceLocation location = token_.getLocation();
  Advance();
  if (token_.is(tok::less)) TemplateArguments();
  if (!token_.is(tok::l_paren)) return;
  std::vector<TextToken> tokens = Group();
  Advance();
  if (places_.Foreign(location)) return;
  std::vector<TokenSpan> arguments = SplitArguments(tokens);
  const OpenScope scope = scopes_.back();
  use_token_ = token;
  for (const ScopeMethod& method : context_.dialect.scope_methods) {
    if (method.method == name) RegisterInScope(method, scope, arguments, location);
  }
}

void Matcher::RegisterInScope(const ScopeMethod& method, const OpenScope& scope,
                              std::span<const TokenSpan> arguments,
                              clang::SourceLocation location) {
  auto argument = [&](int index) {
    bool there = index >= 0 && static_cast<std::size_t>(index) < arguments.size();
    return there ? arguments[index] : TokenSpan();
  };
  Registration registration;
  unknown_.reset();
  const NameRule rule{method.form, scope.space, {}, false};
  if (!SetName(argument(method.name), rule, location, registration)) return;
  TokenSpan name = argument(method.name);
  registration.site.location = places_.Written(name.front().location);
  registration.site.call = places_.Call(location, registration.site.macro);
  registration.site.condition = places_.When(location).And(WhenAll(name));
  if (registration.site.condition.IsNever()) return;
  for (FieldFact& fact : registration.fields) {
    fact.value.condition = registration.site.condition;
  }
  if (!method.adds.empty()) {
    registration.adds = true;
    registration.fields.clear();  // they are those of the operator itself
    const std::vector<TextToken> value = Unwrapped(argument(method.value));
    FieldFact fact;
    fact.field = method.adds;
    fact.value.key = scope.key;
    fact.value.value = CanonicalText(value);
    fact.value.condition = registration.site.condition;
    if (const KeyField* own = TakeKeyField(fact)) UseWord(own->values, value, fact);
    registration.fields.push_back(std::move(fact));
  }
  using What = Echo::Use::What;
  const What what = unknown_ ? What::kRecord : What::kKnown;
  Found(std::move(registration));
  if (context_.echo == nullptr) return;
  const int number = what == What::kRecord ? static_cast<int>(result_.unknown.size()) - 1 : -1;
  context_.echo->Note({use_token_, 0, what, std::exchange(echoed_, {}), number});
}

// RegisterOperators().op("ns::a", &a).op("ns::b", &b): at the token behind the first ')'.
void Matcher::RegisterMethods(const Sink& sink) {
  while (token_.isOneOf(tok::period, tok::arrow)) {
    Advance();
    if (!token_.is(tok::identifier)) return;
    std::string name = Spelling(token_);
    clang::SourceLocation location = token_.getLocation();
    Advance();
    if (token_.is(tok::less)) TemplateArguments();
    if (!token_.is(tok::l_paren)) return;
    const std::size_t token = context_.echo == nullptr ? 0 : context_.echo->Last();
    std::vector<TextToken> tokens = Group();
    Advance();
    use_token_ = token;
    if (std::find(sink.methods.begin(), sink.methods.end(), name) == sink.methods.end()) continue;
    std::vector<TokenSpan> arguments = SplitArguments(tokens);
    std::size_t index = static_cast<std::size_t>(sink.name);
    ScopeMethod method{name, sink.name, sink.form, {}, -1};
    if (index < arguments.size()) RegisterInScope(method, {}, arguments, location);
  }
}

// Registry r("ns::a(Tensor a) -> Tensor", &a), at "Registry".
bool Matcher::DeclaresVariable() {
  return !variables_.empty() && variables_.count(token_.getIdentifierInfo()) != 0 &&
         preprocessor_.LookAhead(0).is(tok::identifier) &&
         preprocessor_.LookAhead(0).getIdentifierInfo()->getName() != "final" &&
         preprocessor_.LookAhead(1).isOneOf(tok::l_paren, tok::l_brace);
}

void Matcher::Variable() {
  const Sink& sink = *variables_.find(token_.getIdentifierInfo())->second;
  const clang::SourceLocation location = token_.getLocation();
  const std::size_t token = context_.echo == nullptr ? 0 : context_.echo->Last();
  Advance();
  Advance();
  const std::vector<TextToken> tokens = Group();
  use_token_ = token;
  Advance();
  if (places_.Foreign(location)) return;
  const std::vector<TokenSpan> arguments = SplitArguments(tokens);
  RegisterMade(sink, arguments, location);
}

// Where what a variable is made of is a name and more, no list of operators, no parameters.
void Matcher::RegisterMade(const Sink& sink, std::span<const TokenSpan> arguments,
                           clang::SourceLocation location) {
  const auto index = static_cast<std::size_t>(sink.name);
  if (index >= arguments.size()) return;
  TokenSpan argument = arguments[index];
  if (!argument.empty() && argument.front().kind == tok::l_brace) return;
  const bool list = !sink.methods.empty() && arguments.size() == 1;
  if (!NameOf(argument) && (list || LooksLikeParameter(argument))) return;
  RegisterInScope({sink.macro, 0, sink.form, {}, -1}, {}, {&argument, 1}, location);
}

// The constant string that the argument is, or that a function which only wraps names is given.
std::optional<std::string> Matcher::NameOf(TokenSpan argument) {
  if (std::optional<std::string> value = StringValue(argument)) return value;
  if (argument.size() == 1) {
    auto constant = context_.dialect.constants.find(argument.front().text);
    if (constant != context_.dialect.constants.end()) return constant->second;
  }
  const std::vector<std::string>& wraps = context_.dialect.identity_functions;
  for (std::size_t at = 0; at + 1 < argument.size(); ++at) {
    const std::string& name = argument[at].text;
    bool identity = name == kIdentity || std::find(wraps.begin(), wraps.end(), name) != wraps.end();
    if (!identity || argument[at + 1].kind != tok::l_paren) continue;
    std::size_t close = ClosingBracket(argument, at + 1);
    std::vector<TokenSpan> inner = SplitArguments(argument.subspan(at + 2, close - at - 2));
    return inner.empty() ? std::nullopt : NameOf(inner.front());
  }
  return std::nullopt;
}

void SetName(const std::string& value, const NameRule& rule, const std::string& separator,
             Registration& registration) {
  registration.name = value;
  if (rule.form == NameForm::kSchema) {
    registration.name = SchemaName(value);
    std::vector<FieldFact> fields = SchemaFields(value);
    for (FieldFact& fact : fields) fact.value.condition = registration.site.condition;
    if (!registration.adds)
      registration.fields.insert(registration.fields.end(), fields.begin(), fields.end());
  }
  const bool qualified = registration.name.find(separator) != std::string::npos;
  if (!rule.space.empty() && !qualified) {
    registration.name = rule.space + separator + registration.name;
  }
  registration.name = rule.prefix + registration.name;
}

// False, and a dynamic registration, where the name is no constant and nothing will evaluate it.
bool Matcher::SetName(TokenSpan argument, const NameRule& rule, clang::SourceLocation location,
                      Registration& registration) {
  if (std::optional<std::string> value = NameOf(argument)) {
    scan::SetName(*value, rule, context_.dialect.separator, registration);
    return true;
  }
  Dynamic dynamic{places_.Written(location), CanonicalText(argument), {}};
  if (context_.echo == nullptr) {
    facts_.dynamic.push_back(std::move(dynamic));
    return false;
  }
  echoed_ = SourceText({&argument, 1});
  unknown_ = UnknownName{{}, rule, std::move(dynamic)};
  return true;
}

// A registration that was read to its end.
void Matcher::Found(Registration registration) {
  if (!unknown_) {
    facts_.registrations.push_back(std::move(registration));
    return;
  }
  unknown_->registration = std::move(registration);
  result_.unknown.push_back(std::move(*unknown_));
  unknown_.reset();
}

}  // namespace opledger::scan
