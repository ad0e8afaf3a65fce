// __opledger_sink(0, "abs", abs).add_alias("_np_abs").set_attr<T>("FGradient", G{"sign"})
//   -> Registration{abs, alias _np_abs, gradient G{...}} with the places of every part.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseSet.h"
#include "registry/scan/chain_fields.h"
#include "registry/scan/evaluate_parts.h"
#include "registry/scan/places.h"
#include "registry/scan/preprocess.h"
#include "registry/scan/token_text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

// More than any real source expands to; a macro bomb reaches it in a fraction of a second.
constexpr std::size_t kMostTokens = 20'000'000;
constexpr std::size_t kHistory = 16;

class Matcher {
 public:
  Matcher(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts)
      : preprocessor_(preprocessor),
        context_(context),
        facts_(facts),
        places_(preprocessor, context),
        sentinel_(preprocessor.getIdentifierInfo(kSentinel)) {
    for (const std::string& name : context.must_expand) {
      must_expand_.insert(preprocessor.getIdentifierInfo(name));
    }
  }

  MatchResult Run();

 private:
  void Advance();
  std::string Spelling(const clang::Token& token) const;
  TextToken Keep() const { return {token_.getKind(), Spelling(token_), token_.getLocation()}; }
  std::vector<TextToken> Group();
  void SkipTemplateArguments();
  void Use();
  void Register(const Sink& sink, const std::vector<TokenSpan>& arguments,
                clang::SourceLocation location);
  Condition WhenAll(TokenSpan tokens);
  bool ReceiverFits(const Sink& sink) const;
  bool IsDeclaration() const;
  bool Version(const Sink& sink, const std::vector<TokenSpan>& arguments,
               Registration& registration);
  void Chain(Registration& registration);
  void ChainIn(TokenSpan tokens, Registration& registration);
  void KeepCall(const std::string& name, const std::vector<TokenSpan>& arguments,
                clang::SourceLocation location, Registration& registration);
  void Method(const std::string& name, const std::vector<TokenSpan>& arguments,
              clang::SourceLocation location, Registration& registration);
  void Keep(const ChainMethod& method, const std::vector<TokenSpan>& arguments,
            clang::SourceLocation location, Registration& registration);
  void Leftover(bool in_chain);
  void Unresolved(clang::SourceLocation location, std::string detail);

  clang::Preprocessor& preprocessor_;
  const MatchContext& context_;
  Facts& facts_;
  Places places_;
  clang::IdentifierInfo* sentinel_;
  llvm::DenseSet<clang::IdentifierInfo*> must_expand_;
  clang::Token token_;
  std::size_t count_ = 0;
  std::vector<clang::Token> history_{kHistory};  // a ring: the tokens before the current one
  MatchResult result_;
};

// Quickly where the token is spelled in one piece somewhere.
std::string Matcher::Spelling(const clang::Token& token) const {
  if (const clang::IdentifierInfo* identifier = token.getIdentifierInfo()) {
    return identifier->getName().str();
  }
  if (!token.needsCleaning()) {
    const char* punctuator = tok::getPunctuatorSpelling(token.getKind());
    // Digraphs are longer.
    if (punctuator != nullptr && std::strlen(punctuator) == token.getLength()) return punctuator;
    if (token.isLiteral() && token.getLiteralData() != nullptr) {
      return {token.getLiteralData(), token.getLength()};
    }
  }
  return preprocessor_.getSpelling(token);
}

void Matcher::Advance() {
  history_[count_++ % kHistory] = token_;
  preprocessor_.Lex(token_);
  if (count_ == kMostTokens) {
    Location location;
    location.path = context_.tree.files()[context_.unit].path;
    facts_.incomplete.push_back(
        {location, "file",
         "expands to more than 20 million tokens: a macro bomb? the rest was not read"});
    token_.setKind(tok::eof);
  }
  if (count_ > kMostTokens) token_.setKind(tok::eof);
}

// The tokens between the current '(' and its ')', which becomes the current token.
std::vector<TextToken> Matcher::Group() {
  std::vector<TextToken> tokens;
  tokens.reserve(32);
  int depth = 1;
  for (Advance(); !token_.is(tok::eof); Advance()) {
    if (token_.isOneOf(tok::l_paren, tok::l_square, tok::l_brace)) ++depth;
    if (token_.isOneOf(tok::r_paren, tok::r_square, tok::r_brace) && --depth == 0) break;
    if (token_.getIdentifierInfo() == sentinel_) {
      Use();  // a registration inside another one's arguments
      if (token_.is(tok::eof)) break;
    }
    tokens.push_back(Keep());
  }
  return tokens;
}

void Matcher::SkipTemplateArguments() {
  int depth = 0;
  for (int limit = 0; limit < 200 && !token_.isOneOf(tok::eof, tok::semi); ++limit) {
    if (token_.is(tok::less)) ++depth;
    if (token_.is(tok::greater)) --depth;
    if (token_.is(tok::greatergreater)) depth -= 2;
    Advance();
    if (depth <= 0) return;
  }
}

void Matcher::Unresolved(clang::SourceLocation location, std::string detail) {
  facts_.incomplete.push_back({places_.Written(location), "registration", std::move(detail)});
}

bool Matcher::ReceiverFits(const Sink& sink) const {
  if (sink.receiver.empty()) return true;
  std::string before;
  for (std::size_t i = 1; i <= kHistory && i < count_ && before.size() < sink.receiver.size();
       ++i) {
    before.insert(0, Spelling(history_[(count_ - i) % kHistory]));
  }
  return before.ends_with(sink.receiver);
}

// "Type name(": a declaration or definition of the function, not a call.
bool Matcher::IsDeclaration() const {
  const clang::Token& before = history_[(count_ - 1) % kHistory];
  return count_ > 1 && (before.is(tok::identifier) || before.isOneOf(tok::star, tok::amp));
}

void Matcher::Use() {
  clang::SourceLocation location = token_.getLocation();
  bool declaration = IsDeclaration();
  std::vector<bool> receiver_fits;
  for (const Sink* sink : context_.sinks) receiver_fits.push_back(ReceiverFits(*sink));
  Advance();
  if (!token_.is(tok::l_paren)) return;
  std::vector<TextToken> tokens = Group();
  Advance();
  if (places_.Foreign(location)) return;
  std::vector<TokenSpan> arguments = SplitArguments(tokens);
  std::size_t sink = context_.sinks.size();
  if (!arguments.empty() && arguments[0].size() == 1) {
    const std::string& number = arguments[0][0].text;
    std::from_chars(number.data(), number.data() + number.size(), sink);
  }
  if (sink >= context_.sinks.size() || arguments.size() < 2) return;
  if (context_.sinks[sink]->is_call && declaration) return;
  if (!receiver_fits[sink]) return;
  Register(*context_.sinks[sink], arguments, location);
}

// The condition under which the tokens are what they are, without what stands in braces.
Condition Matcher::WhenAll(TokenSpan tokens) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  Condition when;
  clang::FileID body;  // that the last token comes from: all of one come the same way
  int braces = 0;
  for (const TextToken& token : tokens) {
    braces += token.kind == tok::l_brace;
    const bool outside = braces == 0;
    braces -= token.kind == tok::r_brace;
    if (!outside) continue;
    if (token.location.isMacroID()) {
      const clang::FileID file = sources.getFileID(token.location);
      if (file == body) continue;
      body = sources.isMacroBodyExpansion(token.location) ? file : clang::FileID();
    }
    when = when.And(places_.When(token.location));
  }
  return when;
}

void Matcher::Register(const Sink& sink, const std::vector<TokenSpan>& arguments,
                       clang::SourceLocation location) {
  std::string spelled = StringValue(arguments[1]).value_or("");
  std::size_t index = 2 + static_cast<std::size_t>(sink.name);
  TokenSpan expanded = index < arguments.size() ? arguments[index] : TokenSpan();
  Registration registration;
  if (sink.form == NameForm::kToken) {
    registration.name = spelled;
    bool name = !spelled.empty() && std::all_of(spelled.begin(), spelled.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
             static_cast<unsigned char>(c) >= 0x80;
    });
    if (!name) {
      return Unresolved(location, "'" + spelled + "' is no operator name: the argument of " +
                                      sink.macro + " must be one identifier");
    }
  } else {
    std::optional<std::string> value = StringValue(expanded);
    if (!value) {
      facts_.dynamic.push_back({places_.Written(location), CanonicalText(expanded)});
      return Chain(registration);
    }
    registration.name = *value;
  }
  registration.name = sink.prefix + registration.name;
  clang::SourceLocation written = expanded.empty() ? location : expanded.front().location;
  registration.site.location = places_.Written(written);
  registration.site.call = places_.Call(location, registration.site.macro);
  registration.site.condition = places_.When(location);
  registration.site.condition = registration.site.condition.And(WhenAll(expanded));
  if (sink.version >= 0 && !Version(sink, arguments, registration)) {
    return Unresolved(location, "the version of '" + registration.name + "' is no number");
  }
  if (sink.chain >= 0) {
    std::size_t chain = 2 + static_cast<std::size_t>(sink.chain);
    if (chain < arguments.size()) ChainIn(arguments[chain], registration);
  }
  Chain(registration);
  if (!registration.site.condition.IsNever()) {
    facts_.registrations.push_back(std::move(registration));
  }
}

bool Matcher::Version(const Sink& sink, const std::vector<TokenSpan>& arguments,
                      Registration& registration) {
  std::size_t index = 2 + static_cast<std::size_t>(sink.version);
  if (index >= arguments.size() || arguments[index].size() != 1) return false;
  const std::string& number = arguments[index][0].text;
  auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), registration.version);
  return error == std::errc() && end == number.data() + number.size();
}

// A chain that stands in an argument: OpSchema().Input(...).Output(...)
void Matcher::ChainIn(TokenSpan tokens, Registration& registration) {
  std::size_t at = 0;
  while (at < tokens.size() && tokens[at].kind != tok::l_paren) ++at;
  if (at == tokens.size()) return;
  at = Closing(tokens, at) + 1;
  while (at + 2 < tokens.size() &&
         (tokens[at].kind == tok::period || tokens[at].kind == tok::arrow)) {
    const TextToken& method = tokens[at + 1];
    std::size_t open = at + 2;
    while (open < tokens.size() && tokens[open].kind != tok::l_paren) ++open;  // <T>
    std::size_t close = open < tokens.size() ? Closing(tokens, open) : open;
    if (close >= tokens.size()) break;
    Method(method.text, SplitArguments(tokens.subspan(open + 1, close - open - 1)), method.location,
           registration);
    at = close + 1;
  }
  if (at < tokens.size()) {
    Unresolved(tokens[at].location, "the chain of '" + registration.name +
                                        "' cannot be followed behind '" + tokens[at].text + "'");
  }
}

void Matcher::Chain(Registration& registration) {
  while (token_.isOneOf(tok::period, tok::arrow)) {
    Advance();
    if (!token_.is(tok::identifier)) break;
    std::string name = Spelling(token_);
    clang::SourceLocation location = token_.getLocation();
    Advance();
    if (token_.is(tok::less)) SkipTemplateArguments();
    if (!token_.is(tok::l_paren)) break;
    std::vector<TextToken> tokens = Group();
    Advance();
    Method(name, SplitArguments(tokens), location, registration);
  }
  if (token_.is(tok::identifier) && token_.getIdentifierInfo() != sentinel_) Leftover(true);
}

void Matcher::Method(const std::string& name, const std::vector<TokenSpan>& arguments,
                     clang::SourceLocation location, Registration& registration) {
  bool evaluates = !context_.dialect.evaluation.empty();
  bool called = false;
  for (const ChainMethod& method : context_.dialect.chain) {
    bool mine = method.within.empty() ? method.method == name : method.within == name;
    if (!mine || method.field == "ignore") continue;
    if (evaluates && method.field != "alias") {
      called = true;
    } else if (method.within.empty()) {
      Keep(method, arguments, location, registration);
    }
  }
  if (called) KeepCall(name, arguments, location, registration);
}

// For evaluation, when all definitions are known: the arguments that some rule asks for.
void Matcher::KeepCall(const std::string& name, const std::vector<TokenSpan>& arguments,
                       clang::SourceLocation location, Registration& registration) {
  MethodCall call{name, {}, registration.site.condition.And(places_.When(location))};
  call.arguments.resize(arguments.size());
  std::vector<std::string> inner;
  std::set<int> asked;
  for (const ChainMethod& method : context_.dialect.chain) {
    if (method.within == name) inner.push_back(method.method);
    if (method.method != name || !method.within.empty()) continue;
    asked.insert({method.key, method.value, method.order});
    for (const ChainMethod::Detail& detail : method.details) asked.insert(detail.argument);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!inner.empty()) call.arguments[i] = CallsOf(arguments[i], inner);
    if (!asked.contains(static_cast<int>(i))) continue;
    for (const TextToken& token : arguments[i]) call.arguments[i] += token.text + " ";
    call.condition = call.condition.And(WhenAll(arguments[i]));
  }
  if (!call.condition.IsNever()) registration.calls.push_back(std::move(call));
}

// "MixedPrecisionPolicyKind::kFollow" -> what `words` has for it or for "kFollow"; else unchanged.
std::string WordFor(const std::string& value, const std::map<std::string, std::string>& words) {
  auto found = words.find(value);
  std::size_t scope = value.rfind("::");
  if (found == words.end() && scope != std::string::npos)
    found = words.find(value.substr(scope + 2));
  return found == words.end() ? value : found->second;
}

void Matcher::Keep(const ChainMethod& method, const std::vector<TokenSpan>& arguments,
                   clang::SourceLocation location, Registration& registration) {
  if (method.field == "ignore") return;
  Condition when = registration.site.condition.And(places_.When(location));
  auto argument = [&](int index) {
    bool there = index >= 0 && static_cast<std::size_t>(index) < arguments.size();
    return there ? arguments[index] : TokenSpan();
  };
  TokenSpan value = argument(method.value);
  when = when.And(WhenAll(value));
  if (when.IsNever()) return;
  if (method.field == "alias") {
    if (std::optional<std::string> name = StringValue(value)) {
      registration.aliases.push_back({*name, places_.Written(value.front().location), when});
    } else {
      Unresolved(location, "the alias of '" + registration.name +
                               "' is no constant string: " + CanonicalText(value));
    }
    return;
  }
  FieldFact fact;
  fact.field = method.field;
  fact.value.condition = when;
  for (const ChainMethod::Detail& detail : method.details) {
    TokenSpan tokens = argument(detail.argument);
    bool boolean = tokens.size() == 1 && (tokens[0].text == "true" || tokens[0].text == "false");
    if (tokens.empty() || (detail.boolean && *detail.boolean != boolean)) continue;
    fact.value.details[detail.name] = StringValue(tokens).value_or(CanonicalText(tokens));
  }
  if (TokenSpan key = argument(method.key); !key.empty()) {
    fact.value.key = StringValue(key).value_or(CanonicalText(key));
  }
  const auto& own = context_.dialect.key_fields;
  auto found = std::find_if(own.begin(), own.end(),
                            [&](const KeyField& field) { return field.key == fact.value.key; });
  if (found != own.end()) {
    fact.field = found->field;
    bool only = std::count_if(own.begin(), own.end(), [&](const KeyField& field) {
                  return field.field == found->field;
                }) == 1;
    if (only) fact.value.key.clear();  // the field says it all
  }
  const auto& lists = context_.dialect.string_lists;
  if (std::find(lists.begin(), lists.end(), fact.field) != lists.end()) {
    fact.value.value = ReturnedStrings(value);
  } else {
    std::optional<std::string> text = StringValue(value);
    fact.value.value = text ? *text : CanonicalText(value);
  }
  if (found != own.end()) fact.value.value = WordFor(fact.value.value, found->values);
  fact.order = static_cast<int>(
      std::count_if(registration.fields.begin(), registration.fields.end(),
                    [&](const FieldFact& other) { return other.field == fact.field; }));
  registration.fields.push_back(std::move(fact));
}

// An identifier that should have been expanded: a macro known to register, or what follows a chain
// that no ';' ends.
void Matcher::Leftover(bool in_chain) {
  clang::SourceLocation location = token_.getLocation();
  std::string name = preprocessor_.getSpelling(token_);
  bool must = must_expand_.contains(token_.getIdentifierInfo());
  if ((!must && !in_chain) || places_.Foreign(location)) return;
  if (!preprocessor_.LookAhead(0).is(tok::l_paren)) return;
  result_.unexpanded.push_back(name);
  Unresolved(location, "'" + name + "(' was not expanded: its definition was not found");
}

MatchResult Matcher::Run() {
  token_.startToken();
  token_.setKind(tok::semi);
  Advance();
  while (!token_.is(tok::eof)) {
    clang::IdentifierInfo* identifier = token_.getIdentifierInfo();
    if (identifier == sentinel_) {
      Use();
      continue;  // already at the token behind it
    }
    if (identifier != nullptr && must_expand_.contains(identifier)) Leftover(false);
    Advance();
  }
  return std::move(result_);
}

}  // namespace

MatchResult Match(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts) {
  return Matcher(preprocessor, context, facts).Run();
}

}  // namespace opledger::scan
