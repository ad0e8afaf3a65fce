// The main loop over the tokens: finds those that may lead to a registration and records the
// outcome of each. Every use of a sink, and every mention of a variable that registers, ends in a
// UseEnd; those that cannot be tracked end in kIncomplete.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/match.h"

#include <cctype>

#include "registry/scan/match/matcher.h"
#include "registry/scan/outline/registration_words.h"
#include "registry/scan/preprocess/preprocess.h"

namespace opledger::scan {

Matcher::Matcher(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts)
    : preprocessor_(preprocessor),
      context_(context),
      facts_(facts),
      type_lists_(context.dialect, context.text),
      locator_(preprocessor, context),
      stream_(preprocessor, context.recorder,
              std::any_of(context.sinks.begin(), context.sinks.end(),
                          [&](const Sink* sink) {
                            const auto unit = static_cast<std::size_t>(context.unit);
                            return !sink->receivers.empty() &&
                                   context.tree.files()[unit].outline.Mentions(sink->macro);
                          })),
      sentinel_(preprocessor.getIdentifierInfo(kSentinel)) {
  auto interest = [&](const std::string& name) -> Interest& {
    return interests_[preprocessor.getIdentifierInfo(name)];
  };
  for (const std::string& name : context.must_expand) interest(name).must_expand = true;
  for (const std::string& name : context.leading) interest(name).leads = true;
  for (std::size_t number = 0; number < context.sinks.size(); ++number) {
    const Sink& sink = *context.sinks[number];
    receivers_.emplace_back(sink);
    if (sink.identity) continue;
    Interest& own = interest(sink.macro);
    own.sink = &sink;
    own.number = number;
    own.macro = true;
    const auto unit = static_cast<std::size_t>(context.unit);
    if (!context.tree.files()[unit].outline.Mentions(sink.macro)) continue;
    for (const std::string& method : sink.methods) interest(method).method_of = &sink;
  }
  for (const std::string& type : context.dialect.scope_types) interest(type).scope_type = true;
  for (const ScopeMethod& method : context.dialect.scope_methods) {
    if (TakesSchema(method)) interest(method.method).takes_schema = true;
  }
}

MatchResult Matcher::Run() {
  Advance();
  while (!stream_.AtEnd()) {
    if (!Take()) Advance();
  }
  EndHelpers();
  if (stream_.too_many()) {
    Location location;
    location.path = context_.tree.files()[context_.unit].path;
    facts_.incomplete.push_back({location, "file",
                                 "expands to more than 20 million tokens, so the rest was not "
                                 "read; is there a macro bomb?"});
  }
  return std::move(result_);
}

void Matcher::Advance() {
  stream_.Advance();
  interest_ = nullptr;
  const clang::IdentifierInfo* identifier = stream_.token().getIdentifierInfo();
  if (identifier == nullptr) return;
  auto found = interests_.find(identifier);
  if (found == interests_.end()) return;
  interest_ = &found->second;
  if (interest_->leads) {
    locator_.AddSpots(stream_.token().getLocation(), context_.spots.unexpanded);
  }
}

// Records the outcome of a name that leads to a registration.
void Matcher::Account(clang::SourceLocation location, UseEnd end) {
  Spots& spots = context_.spots;
  switch (end) {
    case UseEnd::kDeclaration:
      return locator_.AddSpots(location, spots.declared);
    case UseEnd::kOther:
      return locator_.AddSpots(location, spots.other);
    default:
      return locator_.AddSpots(location, spots.read);
  }
}

// Reads the construct that begins at this token, if it matters. Returns whether it advanced past
// it.
bool Matcher::Take() {
  if (!declared_.empty() || !parameters_.empty()) TrackScopes();
  if (!derived_.empty()) TrackDerived();
  if (!returning_.empty() && stream_.Is(tok::kw_return) && ReadReturn()) return true;
  if (stream_.Is(tok::kw_auto) && libraries_ > 0) {
    const bool refers = stream_.LookAhead(0).isOneOf(tok::amp, tok::ampamp, tok::star);
    ReadHelperParameter(refers ? 1 : 0);
    return false;
  }
  clang::IdentifierInfo* identifier = stream_.token().getIdentifierInfo();
  if (identifier == nullptr) return false;
  if (identifier == sentinel_) {
    const clang::SourceLocation location = stream_.token().getLocation();
    Account(location, ReadUse());
    as_written_ = false;
    return true;
  }
  if (interest_ == nullptr && libraries_ > 0) ReportUnknownInBlock();
  return interest_ != nullptr && TakeIdentifier(*interest_);
}

bool Matcher::TakeIdentifier(Interest& interest) {
  if (!interest.variables.empty() && interest.variables.back().kind != Variable::Kind::kHidden) {
    const Variable variable = interest.variables.back();
    const Index begin = stream_.position();
    result_.in_code = result_.in_code || variable.library.helper >= 0;
    as_written_ = UseVariable(variable) == UseEnd::kOther;
    return stream_.position() != begin;
  }
  if (interest.scope_type) {
    const Index begin = stream_.position();
    ReadScopeType();
    if (stream_.position() != begin) return true;
  }
  if (interest.must_expand) ReportUnexpanded(false);
  if (interest.method_of != nullptr) ReportMethod(*interest.method_of);
  if (interest.takes_schema) ReportSchema();
  if (interest.sink == nullptr) return false;
  const clang::SourceLocation location = stream_.token().getLocation();
  if (!interest.variables.empty()) {  // hidden: another entity has this name here
    Account(location, UseEnd::kOther);
    return false;
  }
  const UseEnd end = ReadBare(interest);
  Account(location, end);
  as_written_ = end == UseEnd::kOther || end == UseEnd::kDeclaration;
  return true;
}

// Drops variables whose block has ended. Parameters become variables when their function's block
// begins.
void Matcher::TrackScopes() {
  while (!declared_.empty() && declared_.back().first > stream_.braces()) {
    Interest& interest = interests_[declared_.back().second];
    declared_.pop_back();
    if (interest.variables.empty()) continue;
    const Variable& gone = interest.variables.back();
    libraries_ -= gone.kind == Variable::Kind::kLibrary && !gone.made;
    interest.variables.pop_back();
  }
  for (std::size_t i = 0; i < parameters_.size();) {
    const Parameter parameter = parameters_[i];
    const bool at_level = stream_.brackets() == parameter.brackets;
    const bool begins = at_level && stream_.Is(tok::l_brace);
    const bool ends =
        (at_level && stream_.Is(tok::semi)) || stream_.brackets() < parameter.brackets;
    if (!begins && !ends) {
      ++i;
      continue;
    }
    parameters_.erase(parameters_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!begins) continue;
    Variable variable = parameter.variable;
    variable.depth = stream_.braces() + 1;
    const int helper = variable.library.helper;
    if (helper >= 0) helpers_[static_cast<std::size_t>(helper)].body = stream_.position();
    AddVariable(parameter.name, std::move(variable));
  }
}

UseEnd Matcher::Unresolved(clang::SourceLocation location, std::string detail) {
  result_.doubtful = true;
  facts_.incomplete.push_back({locator_.WrittenAt(location), "registration", std::move(detail)});
  return UseEnd::kIncomplete;
}

// Returns whether the preprocessor dropped the arguments of a call here, because there are too few
// or the file ends before the ')'.
bool Matcher::Swallowed() const {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  const clang::SourceLocation at = sources.getSpellingLoc(stream_.token().getLocation());
  bool invalid = false;
  const char* next = sources.getCharacterData(at, &invalid);
  if (invalid) return false;
  next += stream_.token().getLength();
  while (std::isspace(static_cast<unsigned char>(*next)) != 0 || *next == '\\') ++next;
  return *next == '(' && !stream_.LookAhead(0).is(tok::l_paren);
}

// Reports an identifier that should have been expanded: a macro known to register, or the name
// after a chain that has no ';'.
void Matcher::ReportUnexpanded(bool in_chain) {
  clang::SourceLocation location = stream_.token().getLocation();
  std::string name(stream_.Spelling(stream_.token()));
  const bool must = interest_ != nullptr && interest_->must_expand;
  if ((!must && !in_chain) || locator_.IsInOtherHeader(location)) return;
  if (stream_.LookAhead(0).is(tok::l_paren)) {
    result_.unexpanded.push_back(name);
    Unresolved(location, "'" + name + "(' was not expanded: its definition was not found");
    return;
  }
  if (!must) return;
  const tok::TokenKind before = stream_.KindAt(stream_.position() - 1);
  const bool handed_on = (before == tok::l_paren || before == tok::comma) &&
                         stream_.LookAhead(0).isOneOf(tok::comma, tok::r_paren);
  if (Swallowed()) {
    Unresolved(location, "'" + name +
                             "(' has a different number of arguments than its definition, or is "
                             "not closed before the file ends");
  } else if (handed_on) {
    Unresolved(location, "'" + name +
                             "' is passed to a macro or function whose definition was not found; "
                             "add its folder to include_directories");
  }
}

// Returns whether code that the translation unit sees declares a function of this name: `void
// name(`, not `; name(`.
bool Matcher::IsKnownFunction(const std::string& name) const {
  const auto& files = context_.tree.files();
  for (std::size_t file = 0; file < files.size(); ++file) {
    const int number = static_cast<int>(file);
    if (number != context_.unit && files[file].outline.Mentions(name) &&
        context_.index.Reaches(context_.unit, number)) {
      return true;
    }
  }
  const std::string_view text = context_.text;
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const std::size_t before = text.substr(0, at).find_last_not_of(" \t\r\n");
    if (before == std::string_view::npos || before + 1 == at) continue;
    const bool whole = end < text.size() && !IsWordCharacter(text[end]);
    const char last = text[before];
    if (whole && (IsWordCharacter(last) || last == '>' || last == '&' || last == '*')) return true;
  }
  return false;
}

// Returns whether the call that begins here is a statement and none of its arguments is a tracked
// variable. Uses of tracked variables are followed or reported elsewhere.
bool Matcher::MayHideVariable() const {
  int open = 0;
  for (unsigned next = 0;; ++next) {
    const clang::Token& token = stream_.LookAhead(next);
    if (token.is(tok::eof)) return true;
    open += token.is(tok::l_paren);
    if (token.is(tok::r_paren) && --open == 0) {
      return !stream_.LookAhead(next + 1).isOneOf(tok::period, tok::arrow, tok::lessless,
                                                  tok::l_brace, tok::colon);
    }
    if (!token.is(tok::identifier)) continue;
    const auto variable = interests_.find(token.getIdentifierInfo());
    if (variable != interests_.end() && !variable->second.variables.empty()) return false;
  }
}

// Reports statements in a scope's block that may be macros which use its variable: ADD(x); may mean
// m.def("x"), and so may ADD_ALL;
void Matcher::ReportUnknownInBlock() {
  if (!stream_.Is(tok::identifier)) return;
  const clang::Token& next = stream_.LookAhead(0);
  const bool called = next.is(tok::l_paren);
  if (!called && !next.isOneOf(tok::semi, tok::r_brace, tok::identifier)) return;
  // A library declared at file scope says nothing about the functions of the file.
  const bool in_block = std::any_of(declared_.begin(), declared_.end(), [&](const auto& declared) {
    const std::vector<Variable>& variables = interests_[declared.second].variables;
    return declared.first > 0 && !variables.empty() &&
           variables.back().kind == Variable::Kind::kLibrary && !variables.back().made;
  });
  if (!in_block) return;
  const tok::TokenKind before = stream_.KindAt(stream_.position() - 1);
  const bool begins = before == tok::semi || before == tok::l_brace || before == tok::r_brace;
  const std::string name(stream_.Spelling(stream_.token()));
  const bool capitals =
      std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (!begins && !(capitals && called && (before == tok::r_paren || before == tok::kw_else))) {
    return;
  }
  if (!called && !capitals) return;
  if (next.is(tok::identifier)) {  // ADD_ALL m.def("x"), without a ';'
    const auto variable = interests_.find(next.getIdentifierInfo());
    if (variable == interests_.end() || variable->second.variables.empty()) return;
  }
  constexpr double kSaysOtherwise = 1;  // weight of TORCH_CHECK, LOG
  const clang::SourceLocation location = stream_.token().getLocation();
  const std::string& path = context_.tree.files()[context_.unit].path;
  if (RegistrationWeight(name) < kSaysOtherwise || (called && !MayHideVariable()) ||
      locator_.IsInOtherHeader(location) || context_.dialect.IsExcepted(name, path) ||
      (!capitals && IsKnownFunction(name))) {
    return;
  }
  result_.unexpanded.push_back(name);
  Unresolved(location,
             "'" + name + (called ? "('" : "'") +
                 " may register in this block: its definition was not found; add its folder to "
                 "include_directories, or the name to suspicious.except");
}

// Called at a method whose argument is a schema and which was not reached through a block's
// variable.
void Matcher::ReportSchema() {
  const tok::TokenKind before = stream_.KindAt(stream_.position() - 1);
  if (before != tok::period && before != tok::arrow) return;
  unsigned next = 0;
  while (stream_.LookAhead(next).is(tok::l_paren) ||
         stream_.LookAhead(next).getIdentifierInfo() ==
             preprocessor_.getIdentifierInfo(kIdentity)) {
    ++next;
  }
  const clang::Token& schema = stream_.LookAhead(next);
  const clang::SourceLocation location = stream_.token().getLocation();
  if (next == 0 || !schema.is(tok::string_literal) || !IsSchema(stream_.Spelling(schema)) ||
      locator_.IsInOtherHeader(location)) {
    return;
  }
  const std::string name(stream_.Spelling(stream_.token()));
  result_.unexpanded.push_back(name);
  Unresolved(location, "'" + name +
                           "(' has a schema argument, but is not called on the variable of a known "
                           "block; if a macro opens this block, add the folder of its definition "
                           "to include_directories");
}

// Called at a method of the class that is called on an untracked object: a parameter, a member.
void Matcher::ReportMethod(const Sink& sink) {
  const tok::TokenKind before = stream_.KindAt(stream_.position() - 1);
  const bool method = before == tok::period || before == tok::arrow;
  const bool given =
      stream_.LookAhead(0).is(tok::l_paren) && !stream_.LookAhead(1).is(tok::r_paren);
  const clang::SourceLocation location = stream_.token().getLocation();
  if (!method || !given || locator_.IsInOtherHeader(location)) return;
  if (IsOfOtherClass(stream_, stream_.position())) return;
  // The class's own methods forward their arguments: std::move(*this).op(options)
  const Index object = stream_.position() - 2;
  const bool own =
      stream_.KindAt(object) == tok::kw_this ||
      (stream_.KindAt(object) == tok::r_paren && stream_.KindAt(object - 1) == tok::kw_this);
  if (own && !stream_.LookAhead(1).is(tok::string_literal)) return;
  Unresolved(location, "cannot tell whether '" + std::string(stream_.Spelling(stream_.token())) +
                           "(' registers on a '" + sink.macro + "'; call it on " + sink.macro +
                           "() or on a variable of it in the same function");
}

MatchResult Match(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts) {
  return Matcher(preprocessor, context, facts).Run();
}

}  // namespace opledger::scan
