// Tracks variables of scopes and the registering methods that are called on them:
//   TORCH_LIBRARY(ns, m) { m.def("add(Tensor a) -> Tensor"); }  ->  Registration{ns::add}
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/matcher.h"
#include "registry/scan/preprocess/preprocess.h"

namespace opledger::scan {
namespace {

// Removes calls that only wrap their argument: kIdentity(a) -> a.
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

}  // namespace

// Called at the '{' after the ')' of a scope macro.
UseEnd Matcher::OpenScopeBlock(const Call& call) {
  const Scope& scope = *call.sink->scope;
  Variable variable;
  variable.kind = Variable::Kind::kLibrary;
  variable.depth = stream_.braces() + 1;
  const TokenSpan space = call.Argument(scope.space);
  variable.library.space = scope.expands && !space.empty() ? CanonicalText(space) : call.spelled;
  variable.library.condition = locator_.ConditionAt(call.location).And(ConditionOf(space));
  variable.library.key = CanonicalText(call.Argument(scope.key));
  const std::string receiver = CanonicalText(call.Argument(scope.receiver));
  Advance();
  AddVariable(preprocessor_.getIdentifierInfo(receiver), std::move(variable));
  return UseEnd::kBlock;
}

// Returns the key of what a method adds. If a call in `value` states the key, reduces `value` to
// the other argument.
//   impl("add", torch::kCUDA, &add)    impl("add", torch::dispatch(c10::DispatchKey::CUDA, &add))
std::string Matcher::KeyOf(const ScopeMethod& method, const Library& scope, TokenSpan argument,
                           TokenSpan& value) {
  std::size_t open = 0;
  while (open < value.size() && value[open].kind != tok::l_paren) ++open;
  const bool calls = !method.key_function.empty() && open > 0 && open < value.size() &&
                     value[open - 1].text == method.key_function;
  std::vector<TokenSpan> given;
  if (calls)
    given = SplitArguments(value.subspan(open + 1, ClosingBracket(value, open) - open - 1));
  if (given.size() == 2) {
    argument = given[0];
    value = given[1];
  }
  if (argument.empty()) return scope.key;
  const std::string name(argument.back().text);
  const auto constant = context_.dialect.constants.find(name);
  return constant == context_.dialect.constants.end() ? name : constant->second;
}

UseEnd Matcher::RegisterInScope(const ScopeMethod& method, const Library& scope,
                                std::span<const TokenSpan> arguments,
                                clang::SourceLocation location) {
  Registration registration;
  unknown_.reset();
  const NameRule rule{method.form, scope.space, {}, false};
  TokenSpan name = ArgumentAt(arguments, method.name);
  if (name.empty()) {
    return Unresolved(location, "'" + method.method + "' has no argument " +
                                    std::to_string(method.name) + " here, which must be the name");
  }
  if (!SetName(name, rule, location, registration)) return UseEnd::kRegistered;
  registration.site.location = locator_.WrittenAt(name.front().location);
  registration.site.call = locator_.CallAt(location, registration.site.macro);
  registration.site.condition =
      locator_.ConditionAt(location).And(ConditionOf(name)).And(scope.condition);
  if (registration.site.condition.IsNever()) return UseEnd::kNever;
  const bool qualified = registration.name.find(context_.dialect.separator) != std::string::npos;
  if (scope.unknown && !unknown_ && (!qualified || !method.adds.empty())) {
    const std::string what =
        qualified ? "the key under which '" + registration.name + "' is added"
                  : "the namespace in which '" + registration.name + "' is registered";
    const std::string remedy =
        qualified ? "add it in a block" : "write namespace" + context_.dialect.separator + "name";
    return Unresolved(
        location, what + " is unknown, because its variable does not belong to a block; " + remedy);
  }
  for (FieldFact& fact : registration.fields) {
    fact.value.condition = registration.site.condition;
  }
  if (!method.adds.empty()) {
    registration.adds = true;
    registration.fields.clear();  // they belong to the operator itself
    TokenSpan given = ArgumentAt(arguments, method.value);
    FieldFact fact;
    fact.field = method.adds;
    fact.value.key = KeyOf(method, scope, ArgumentAt(arguments, method.key), given);
    const std::vector<TextToken> value = Unwrapped(given);
    fact.value.value = CanonicalText(value);
    fact.value.condition = registration.site.condition;
    if (const KeyField* own = TakeKeyField(fact)) {
      UseWord(own->values, value, fact);
      fact.value.location = RowOf(name.front().location, registration);
    }
    registration.fields.push_back(std::move(fact));
  }
  const What what = unknown_ ? What::kRecord : What::kKnown;
  FinishRegistration(std::move(registration));
  if (context_.recorder == nullptr) return UseEnd::kRegistered;
  const int number = what == What::kRecord ? static_cast<int>(result_.unknown.size()) - 1 : -1;
  context_.recorder->AddUse({use_token_, 0, what, std::exchange(recorded_text_, {}), number});
  return UseEnd::kRegistered;
}

// Returns where the registration names its operator: a row of a list macro, or its own call.
Location Matcher::RowOf(clang::SourceLocation name, const Registration& registration) {
  std::string_view word = registration.name;
  const std::size_t separator = word.rfind(context_.dialect.separator);
  if (separator != std::string_view::npos) {
    word.remove_prefix(separator + context_.dialect.separator.size());
  }
  word = word.substr(0, word.find('.'));
  return locator_.ArgumentAt(name, word).value_or(registration.site.location);
}

// Reads RegisterOperators().op("ns::a", &a).op("ns::b", &b), at the token after the first ')'.
UseEnd Matcher::RegisterMethods(const Sink& sink) {
  UseEnd end = UseEnd::kOther;
  while (stream_.token().isOneOf(tok::period, tok::arrow)) {
    Advance();
    if (stream_.Is(tok::kw_template)) Advance();
    if (!stream_.Is(tok::identifier)) return end;
    std::string name(stream_.Spelling(stream_.token()));
    clang::SourceLocation location = stream_.token().getLocation();
    Advance();
    if (stream_.Is(tok::less)) TemplateArguments();
    if (!stream_.Is(tok::l_paren)) continue;
    const std::size_t token = RecordedToken();
    std::vector<TextToken> tokens = Group();
    if (stream_.AtEnd()) {
      return Unresolved(location, "'" + name + "(' is not closed before the file ends");
    }
    Advance();
    use_token_ = token;
    if (std::find(sink.methods.begin(), sink.methods.end(), name) == sink.methods.end()) continue;
    std::vector<TokenSpan> arguments = SplitArguments(tokens);
    ScopeMethod method;
    method.method = name;
    method.name = sink.name;
    method.form = sink.form;
    end = RegisterInScope(method, {}, arguments, location);
  }
  return end;
}

UseEnd Matcher::UseLibrary(const Variable& variable, const VariableUse& mention) {
  const clang::SourceLocation location = stream_.token().getLocation();
  const std::string name(stream_.Spelling(stream_.token()));
  use_token_ = RecordedToken();
  Advance();
  if (mention.what == VariableUse::Form::kMethod) {
    for (int i = 0; i < mention.parentheses; ++i) Advance();
    CallOnLibrary(variable.library);
    return UseEnd::kRegistered;
  }
  if (locator_.IsInOtherHeader(location)) return UseEnd::kOutside;
  if (variable.made) return UseEnd::kOther;
  if (mention.what == VariableUse::Form::kArgument) {
    const std::string callee = mention.other == nullptr ? "" : mention.other->getName().str();
    helper_calls_.push_back({callee, mention.body, mention.argument, variable.library, location});
    return UseEnd::kOther;
  }
  return Unresolved(location, "this use of '" + name +
                                  "' was not tracked, so registrations may be missing; call its "
                                  "methods, or pass it to a function of this file");
}

// Behind the variable of a scope: .def(...).def(...)
void Matcher::CallOnLibrary(const Library& library) {
  const std::size_t token = use_token_;
  bool followed = true;
  while (stream_.token().isOneOf(tok::period, tok::arrow)) {
    Advance();
    if (stream_.Is(tok::kw_template)) Advance();
    if (!stream_.Is(tok::identifier)) return;
    const std::string name(stream_.Spelling(stream_.token()));
    const clang::SourceLocation location = stream_.token().getLocation();
    const auto& methods = context_.dialect.scope_methods;
    auto method = std::find_if(methods.begin(), methods.end(),
                               [&](const ScopeMethod& known) { return known.method == name; });
    Advance();
    if (stream_.Is(tok::less)) TemplateArguments();
    const bool registers = method != methods.end() && method->registers;
    const bool outside = locator_.IsInOtherHeader(location);
    if (!stream_.Is(tok::l_paren)) {
      if (registers && !outside) {
        Unresolved(location, "'" + name + "' is named but not called, which was not tracked");
      }
      return;
    }
    std::vector<TextToken> tokens = Group();
    if (stream_.AtEnd()) {
      Unresolved(location, "'" + name + "(' is not closed before the file ends");
      return;
    }
    Advance();
    if (outside) continue;
    // If a method has several forms, take the first whose arguments are all present.
    const auto given = static_cast<int>(SplitArguments(tokens).size());
    const auto fits = std::find_if(method, methods.end(), [&](const ScopeMethod& known) {
      return known.method == name && std::max(known.value, known.key) < given;
    });
    if (fits != methods.end()) method = fits;
    if (registers && !followed) {
      Unresolved(location, "cannot tell whether '" + name +
                               "(' registers, since it follows a method that the dialect does not "
                               "know; add that method to scope_methods");
      return;
    }
    followed = followed && method != methods.end();
    if (registers && library.helper >= 0) {
      in_helpers_.push_back({&*method, library.helper, std::move(tokens), location, token});
    } else if (registers) {
      use_token_ = token;
      RegisterInScope(*method, library, SplitArguments(tokens), location);
    }
    if (method != methods.end() && !method->returns_scope) return;
  }
}

// Called at the class of such variables: a parameter, Library& m, or a local variable.
bool Matcher::ReadScopeType() {
  if (stream_.EnclosingAngle(stream_.position()) != TokenStream::kNone) return ReadScopeCast();
  if (DeclaresScopeVariable()) return true;
  if (stream_.LookAhead(0).isOneOf(tok::amp, tok::ampamp, tok::star)) {
    return ReadHelperParameter(1);
  }
  const clang::Token& name = stream_.LookAhead(0);
  if (!name.is(tok::identifier) || !stream_.LookAhead(1).isOneOf(tok::l_paren, tok::l_brace)) {
    return false;
  }
  const Index begin = stream_.NameBegin(stream_.position());
  const tok::TokenKind before = stream_.KindAt(begin - 1);
  if (before == tok::kw_class || before == tok::kw_struct || before == tok::identifier)
    return false;
  Variable variable;
  variable.kind = Variable::Kind::kLibrary;
  variable.depth = stream_.braces();
  variable.library.unknown = true;
  variable.at = stream_.position() + 1;
  AddVariable(name.getIdentifierInfo(), std::move(variable));
  return true;
}

// Reads cast<Library&>(x) or make_unique<Library>(x). The calls after it, and the variable that it
// initializes, belong to an unknown library.
bool Matcher::ReadScopeCast() {
  Index outer = stream_.position();
  int angles = 0;
  for (Index next = stream_.EnclosingAngle(outer); next != TokenStream::kNone;
       next = stream_.EnclosingAngle(next)) {
    outer = next;
    ++angles;
  }
  const bool refers = stream_.LookAhead(0).isOneOf(tok::amp, tok::star);
  if (!refers && !IsMaker(stream_.TextAt(outer - 1))) return false;  // class_<Library>(...)
  const Index begin = stream_.StatementBegin(outer);
  const std::size_t token = RecordedToken();
  while (angles > 0 && !stream_.token().isOneOf(tok::eof, tok::semi, tok::l_brace, tok::l_paren)) {
    angles -= stream_.Is(tok::greater);
    angles -= stream_.Is(tok::greatergreater) ? 2 : 0;
    Advance();
  }
  if (angles != 0 || !stream_.Is(tok::l_paren)) return true;
  const clang::IdentifierInfo* name = nullptr;
  for (Index at = begin; at < outer && name == nullptr; ++at) {
    const bool assigned = stream_.KindAt(at) == tok::equal;
    if (assigned && stream_.KindAt(at - 1) == tok::identifier) name = stream_.NameAt(at - 1);
  }
  UseMade(token, name);
  return true;
}

// Called at the '(' of a call that returns an unknown library. Reads the calls chained to it.
// Without such calls, the variable `name`, if not null, holds the library. `token`: where the call
// begins.
UseEnd Matcher::UseMade(std::size_t token, const clang::IdentifierInfo* name) {
  Group();
  if (stream_.AtEnd()) return UseEnd::kOther;
  Advance();
  Library library;
  library.unknown = true;
  if (stream_.token().isOneOf(tok::period, tok::arrow)) {
    use_token_ = token;
    CallOnLibrary(library);
    return UseEnd::kRegistered;
  }
  if (name == nullptr) return UseEnd::kOther;
  Variable variable;
  variable.kind = Variable::Kind::kLibrary;
  variable.depth = stream_.braces();
  variable.library = library;
  AddVariable(name, std::move(variable));
  return UseEnd::kOther;
}

// Called at the name of a function that returns a library: Get().def("b"); auto& m = Get();
UseEnd Matcher::UseReturned() {
  if (!stream_.LookAhead(0).is(tok::l_paren)) return UseEnd::kOther;
  const std::size_t token = RecordedToken();
  const Index before = stream_.NameBegin(stream_.position()) - 1;
  Advance();
  const bool assigned =
      stream_.KindAt(before) == tok::equal && stream_.KindAt(before - 1) == tok::identifier;
  return UseMade(token, assigned ? stream_.NameAt(before - 1) : nullptr);
}

// Reads a declaration of a variable or member (Library name; Library* name;), of a function
// (Library& name();), or methods called on a temporary, Library(...).
bool Matcher::DeclaresScopeVariable() {
  const tok::TokenKind before = stream_.KindAt(stream_.NameBegin(stream_.position()) - 1);
  if (stream_.LookAhead(0).is(tok::l_paren) && before != tok::tilde) {
    const std::size_t token = RecordedToken();
    Advance();
    Group();
    if (stream_.AtEnd()) return false;
    Advance();
    if (!stream_.token().isOneOf(tok::period, tok::arrow)) return true;
    Library library;
    library.unknown = true;
    use_token_ = token;
    CallOnLibrary(library);
    return true;
  }
  const unsigned name = stream_.LookAhead(0).isOneOf(tok::amp, tok::star) ? 1 : 0;
  const bool returned = name == 1 && stream_.LookAhead(2).is(tok::l_paren);
  const bool declares = stream_.LookAhead(name).is(tok::identifier) &&
                        (returned || stream_.LookAhead(name + 1).isOneOf(tok::semi, tok::equal));
  if (!declares || before == tok::kw_class || before == tok::kw_struct) return false;
  const clang::IdentifierInfo* around = ClassAround(stream_.position());
  if (returned && around != nullptr && interests_[around].scope_type) return false;  // a method
  Variable variable;
  variable.kind = Variable::Kind::kLibrary;
  variable.library.unknown = true;
  variable.made = true;
  variable.returned = returned;
  variable.member = stream_.brackets() == 0 && around != nullptr;
  variable.depth = variable.member ? 0 : stream_.braces();
  variable.at = stream_.position() + 1 + static_cast<Index>(name);
  AddVariable(stream_.LookAhead(name).getIdentifierInfo(), std::move(variable));
  return true;
}

}  // namespace opledger::scan
