// TORCH_LIBRARY(ns, m) { m.def("add(Tensor a) -> Tensor"); }  ->  Registration{ns::add}
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/scan/evaluate_parts.h"
#include "registry/scan/matcher.h"
#include "registry/scan/schema_text.h"

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
      closes.push_back(Closing(tokens, at + 1));
      ++at;
    } else if (!closes.empty() && closes.back() == at) {
      closes.pop_back();
    } else {
      inner.push_back(tokens[at]);
    }
  }
  return inner;
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
  Advance();
  Advance();
  if (!token_.is(tok::identifier)) return;
  std::string name = Spelling(token_);
  clang::SourceLocation location = token_.getLocation();
  Advance();
  if (token_.is(tok::less)) SkipTemplateArguments();
  if (!token_.is(tok::l_paren)) return;
  std::vector<TextToken> tokens = Group();
  Advance();
  if (places_.Foreign(location)) return;
  std::vector<TokenSpan> arguments = SplitArguments(tokens);
  const OpenScope scope = scopes_.back();
  for (const ScopeMethod& method : context_.dialect.scope_methods) {
    if (method.method == name) RegisterInScope(method, scope, arguments, location);
  }
}

void Matcher::RegisterInScope(const ScopeMethod& method, const OpenScope& scope,
                              const std::vector<TokenSpan>& arguments,
                              clang::SourceLocation location) {
  auto argument = [&](int index) {
    bool there = index >= 0 && static_cast<std::size_t>(index) < arguments.size();
    return there ? arguments[index] : TokenSpan();
  };
  Registration registration;
  if (!SetName(argument(method.name), method.form, scope.space, location, registration)) return;
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
  facts_.registrations.push_back(std::move(registration));
}

// RegisterOperators().op("ns::a", &a).op("ns::b", &b): at the token behind the first ')'.
void Matcher::RegisterMethods(const Sink& sink) {
  while (token_.isOneOf(tok::period, tok::arrow)) {
    Advance();
    if (!token_.is(tok::identifier)) return;
    std::string name = Spelling(token_);
    clang::SourceLocation location = token_.getLocation();
    Advance();
    if (token_.is(tok::less)) SkipTemplateArguments();
    if (!token_.is(tok::l_paren)) return;
    std::vector<TextToken> tokens = Group();
    Advance();
    if (std::find(sink.methods.begin(), sink.methods.end(), name) == sink.methods.end()) continue;
    std::vector<TokenSpan> arguments = SplitArguments(tokens);
    std::size_t index = static_cast<std::size_t>(sink.name);
    ScopeMethod method{name, sink.name, sink.form, {}, -1};
    if (index < arguments.size()) RegisterInScope(method, {}, arguments, location);
  }
}

// The constant string that the argument is, or that a function which only wraps names is given.
std::optional<std::string> Matcher::NameOf(TokenSpan argument) {
  if (std::optional<std::string> value = StringValue(argument)) return value;
  const std::vector<std::string>& wraps = context_.dialect.identity_functions;
  for (std::size_t at = 0; at + 1 < argument.size(); ++at) {
    const std::string& name = argument[at].text;
    bool identity = name == kIdentity || std::find(wraps.begin(), wraps.end(), name) != wraps.end();
    if (!identity || argument[at + 1].kind != tok::l_paren) continue;
    std::size_t close = Closing(argument, at + 1);
    std::vector<TokenSpan> inner = SplitArguments(argument.subspan(at + 2, close - at - 2));
    return inner.empty() ? std::nullopt : NameOf(inner.front());
  }
  return std::nullopt;
}

// False, and a dynamic registration, where the name is no constant.
bool Matcher::SetName(TokenSpan argument, NameForm form, const std::string& space,
                      clang::SourceLocation location, Registration& registration) {
  std::optional<std::string> value = NameOf(argument);
  if (!value) {
    facts_.dynamic.push_back({places_.Written(location), CanonicalText(argument)});
    return false;
  }
  registration.name = *value;
  if (form == NameForm::kSchema) {
    registration.name = SchemaName(*value);
    registration.fields = SchemaFields(*value);
  }
  const std::string& separator = context_.dialect.separator;
  bool qualified = registration.name.find(separator) != std::string::npos;
  if (!space.empty() && !qualified) registration.name = space + separator + registration.name;
  return true;
}

}  // namespace opledger::scan
