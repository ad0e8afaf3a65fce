// Tracks variables that register, from their declaration to the end of the block.
//   auto& op = REGISTER(x);  op.add_alias("y");
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/matcher.h"

namespace opledger::scan {
void Matcher::AddVariable(const clang::IdentifierInfo* name, Variable variable) {
  if (name == nullptr) return;
  libraries_ += variable.kind == Variable::Kind::kLibrary && !variable.made;
  declared_.emplace_back(variable.depth, name);
  if (variable.kind != Variable::Kind::kLibrary) result_.ran_on = true;
  Interest& interest = interests_[name];
  interest.variables.push_back(std::move(variable));
  if (stream_.token().getIdentifierInfo() == name) interest_ = &interest;
}

void Matcher::AddParameter(const clang::IdentifierInfo* name, Variable variable, int brackets) {
  parameters_.push_back({name, std::move(variable), brackets});
}

// Called at the name of the variable.
UseEnd Matcher::UseVariable(const Variable& variable) {
  if (variable.at == stream_.position()) return UseEnd::kOther;
  if (variable.returned) return UseReturned();
  VariableUse mention = FormOfUse(stream_);
  const Index before = stream_.position() - 1;
  const tok::TokenKind access = stream_.KindAt(before);
  const bool of_object = variable.member && (access == tok::arrow || access == tok::period);
  if (of_object && stream_.LookAhead(0).isOneOf(tok::period, tok::arrow)) {
    mention.what = VariableUse::Form::kMethod;
    mention.parentheses = 0;
  }
  if (mention.what == VariableUse::Form::kNothing) return UseEnd::kOther;
  if (mention.what == VariableUse::Form::kDeclares) {
    Variable hidden;
    hidden.depth = stream_.braces();
    clang::IdentifierInfo* name = stream_.token().getIdentifierInfo();
    if (stream_.brackets() > 0) {
      AddParameter(name, hidden, stream_.brackets() - 1);
    } else {
      AddVariable(name, hidden);
    }
    Advance();
    return UseEnd::kOther;
  }
  if (mention.what == VariableUse::Form::kBinds) {
    Variable bound = variable;
    bound.depth = stream_.braces();
    if (mention.in_capture) {
      AddParameter(mention.other, std::move(bound), stream_.brackets() - 1);
    } else {
      AddVariable(mention.other, std::move(bound));
    }
    Advance();
    return UseEnd::kOther;
  }
  switch (variable.kind) {
    case Variable::Kind::kLibrary:
      return UseLibrary(variable, mention);
    case Variable::Kind::kObject:
    case Variable::Kind::kContainer:
      return UseObjects(variable, mention);
    case Variable::Kind::kRegistration:
      if (mention.what == VariableUse::Form::kArgument && GivesAliases()) {
        const clang::SourceLocation location = stream_.token().getLocation();
        const std::string name(stream_.Spelling(stream_.token()));
        Advance();
        return Unresolved(location, "'" + name +
                                        "' is passed to a function that may add names to the "
                                        "registration, which was not tracked; add them here");
      }
      if (mention.what != VariableUse::Form::kMethod) return UseEnd::kOther;
      for (int i = 0; i <= mention.parentheses; ++i) Advance();
      CallOnRegistration(variable);
      return UseEnd::kOther;
    case Variable::Kind::kHidden:
      break;
  }
  return UseEnd::kOther;
}

// Reads methods of registering objects and of their containers.
UseEnd Matcher::UseObjects(const Variable& variable, const VariableUse& mention) {
  Call use;
  use.sink = variable.sink;
  use.at = stream_.position();
  use.location = stream_.token().getLocation();
  const std::size_t token = RecordedToken();
  const std::string name(stream_.Spelling(stream_.token()));
  if (mention.what == VariableUse::Form::kElement) {
    Advance();
    if (!stream_.Is(tok::equal)) return UseEnd::kOther;
    Advance();
    const std::vector<TextToken> tokens = Expression();
    const TokenSpan inner = Inside(tokens);
    use_token_ = token;
    if (variable.kind == Variable::Kind::kContainer && !inner.empty()) {
      return ReadElements(use, inner, variable.exact);
    }
    const bool made = !inner.empty() || NameOf(tokens).has_value();
    return made ? Made(use, inner.empty() ? TokenSpan(tokens) : inner, token) : UseEnd::kOther;
  }
  if (mention.what == VariableUse::Form::kType && variable.kind == Variable::Kind::kObject) {
    Advance();
    return Unresolved(use.location, "objects of the type of '" + name +
                                        "' were not tracked; name '" + use.sink->macro +
                                        "' itself");
  }
  if (mention.what != VariableUse::Form::kMethod) return UseEnd::kOther;
  for (int i = 0; i <= mention.parentheses; ++i) Advance();
  if (variable.kind == Variable::Kind::kObject && variable.sink->methods.empty()) {
    return UseEnd::kOther;
  }
  if (variable.kind == Variable::Kind::kObject) {
    use_token_ = token;
    return RegisterMethods(*variable.sink);
  }
  Advance();
  const std::string method(stream_.Is(tok::identifier) ? stream_.Spelling(stream_.token()) : "");
  Advance();
  if (!stream_.Is(tok::l_paren)) return UseEnd::kOther;
  const std::vector<TextToken> tokens = Group();
  Advance();
  if (locator_.IsInOtherHeader(use.location)) return UseEnd::kOutside;
  use_token_ = token;
  const Index owner = use.at - 1;
  const tok::TokenKind access = stream_.KindAt(owner);
  const bool own =
      (access != tok::period && access != tok::arrow) || stream_.KindAt(owner - 1) == tok::kw_this;
  if (own && variable.exact && method.starts_with("emplace") && method != "emplace_hint") {
    return tokens.empty() ? UseEnd::kOther : Made(use, tokens, token);
  }
  if (own && variable.exact && method.starts_with("push_")) return ReadElements(use, tokens, true);
  const bool braces = std::any_of(tokens.begin(), tokens.end(),
                                  [](const TextToken& one) { return one.kind == tok::l_brace; });
  const bool range = variable.exact && IsRange(tokens) &&
                     (method.starts_with("assign") || method.starts_with("insert"));
  if (!HoldsString(tokens) && !braces && !range) return UseEnd::kOther;
  return Unresolved(use.location, "'" + name + "." + method +
                                      "(' may construct objects of class '" + variable.sink->macro +
                                      "', which was not tracked; write " + variable.sink->macro +
                                      "(...)");
}

// Called at the '.' after the result of a registration: op.add_alias("x")
void Matcher::CallOnRegistration(const Variable& variable) {
  auto& of = variable.unknown ? result_.unknown[variable.registration].registration
                              : facts_.registrations[variable.registration];
  Registration registration = of;
  Chain(registration);
  auto& again = variable.unknown ? result_.unknown[variable.registration].registration
                                 : facts_.registrations[variable.registration];
  again = std::move(registration);
}

// Tracks the variable that holds the result: auto& op = REGISTER(x);
void Matcher::NameResult(const Call& call, bool unknown) {
  const bool object = !call.sink->methods.empty();
  if ((context_.dialect.chain.empty() && !object) || call.sink->kernel) return;
  const Index begin = stream_.StatementBegin(call.at);
  for (Index at = call.at - 1; at > begin; --at) {
    if (ClosesBracket(stream_.KindAt(at))) at = stream_.OpeningOf(at);
    if (stream_.KindAt(at) != tok::equal || stream_.KindAt(at - 1) != tok::identifier) continue;
    Variable variable;
    variable.kind = object ? Variable::Kind::kObject : Variable::Kind::kRegistration;
    variable.sink = call.sink;
    variable.depth = stream_.braces();
    variable.unknown = unknown;
    variable.registration = unknown ? result_.unknown.size() : facts_.registrations.size();
    return AddVariable(stream_.NameAt(at - 1), std::move(variable));
  }
}

}  // namespace opledger::scan
