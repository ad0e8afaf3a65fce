// __opledger_sink(0, "abs", abs).add_alias("_np_abs").set_attr<T>("FGradient", G{"sign"})
//   -> Registration{abs, alias _np_abs, gradient G{...}} with the places of every part.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/match.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "registry/scan/match/matcher.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

// More than any real source expands to; a macro bomb reaches it in a fraction of a second.
constexpr std::size_t kMostMatchTokens = 20'000'000;

}  // namespace

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
  if (token_.is(tok::eof)) return;
  history_[count_++ % kHistory] = token_;
  preprocessor_.Lex(token_);
  if (context_.echo != nullptr && !token_.is(tok::eof)) {
    context_.echo->Add(token_.getKind(), Spelling(token_), token_.isAtStartOfLine());
  }
  strange_ += token_.is(tok::unknown);
  if (count_ == kMostMatchTokens) {
    Location location;
    location.path = context_.tree.files()[context_.unit].path;
    facts_.incomplete.push_back(
        {location, "file",
         "expands to more than 20 million tokens: a macro bomb? the rest was not read"});
    token_.setKind(tok::eof);
  }
  if (count_ > kMostMatchTokens) token_.setKind(tok::eof);
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

// The tokens between the current '<' and its '>', which is passed; only kernels need to know them.
std::vector<TextToken> Matcher::TemplateArguments() {
  std::vector<TextToken> tokens;
  int depth = 0;
  for (int limit = 0; limit < 200 && !token_.isOneOf(tok::eof, tok::semi); ++limit) {
    if (kernel_ != nullptr && depth > 0) tokens.push_back(Keep());
    if (token_.is(tok::less)) ++depth;
    if (token_.is(tok::greater)) --depth;
    if (token_.is(tok::greatergreater)) depth -= 2;
    Advance();
    if (depth > 0) continue;
    if (!tokens.empty()) tokens.back().text.pop_back();
    break;
  }
  return tokens;
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
  return count_ > 1 && before.isOneOf(tok::identifier, tok::star, tok::amp, tok::kw_void,
                                      tok::kw_bool, tok::kw_int, tok::kw_auto);
}

// Tells the echo, if there is one, what became of the tokens.
void Matcher::Use() {
  if (context_.echo == nullptr) {
    UseSink();
    return;
  }
  Echo::Use use;
  use.token = context_.echo->Last();
  use_token_ = use.token;
  use.what = UseSink();
  use.text = std::move(echoed_);
  echoed_.clear();
  use.end = token_.is(tok::eof) ? use.token + 1 : context_.echo->Last();
  if (use.what == Echo::Use::What::kRecord) {
    use.number = static_cast<int>(result_.unknown.size()) - 1;
  }
  context_.echo->Note(std::move(use));
}

Echo::Use::What Matcher::UseSink() {
  using What = Echo::Use::What;
  clang::SourceLocation location = token_.getLocation();
  bool declaration = IsDeclaration();
  std::vector<bool> receiver_fits;
  for (const Sink* sink : context_.sinks) receiver_fits.push_back(ReceiverFits(*sink));
  const std::size_t token = use_token_;
  Advance();
  if (!token_.is(tok::l_paren)) return What::kNothing;
  std::vector<TextToken> tokens = Group();
  Advance();
  use_token_ = token;
  echoed_.clear();
  if (places_.Foreign(location)) return What::kKnown;
  std::vector<TokenSpan> arguments = SplitArguments(tokens);
  std::size_t number = context_.sinks.size();
  if (!arguments.empty() && arguments[0].size() == 1) {
    const std::string& text = arguments[0][0].text;
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  if (number >= context_.sinks.size() || arguments.size() < 2) return What::kNothing;
  const Sink& sink = *context_.sinks[number];
  if ((sink.is_call && declaration) || !receiver_fits[number]) {
    echoed_ = sink.macro + "(" + SourceText(std::span(arguments).subspan(2)) + ")";
    return What::kNothing;
  }
  if (sink.scope) {
    const bool opens = token_.is(tok::l_brace);
    Open(sink, arguments);
    if (opens) echoed_ = scopes_.back().receiver;
    return opens ? What::kBlock : What::kKnown;
  }
  if (sink.variable && !sink.methods.empty())
    RegisterMade(sink, std::span(arguments).subspan(2), location);
  if (sink.methods.empty()) return Register(sink, arguments, location);
  RegisterMethods(sink);
  return What::kKnown;
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

Echo::Use::What Matcher::Register(const Sink& sink, const std::vector<TokenSpan>& arguments,
                                  clang::SourceLocation location) {
  using What = Echo::Use::What;
  std::string spelled = StringValue(arguments[1]).value_or("");
  std::size_t index = 2 + static_cast<std::size_t>(sink.name);
  TokenSpan expanded = index < arguments.size() ? arguments[index] : TokenSpan();
  Registration registration;
  if (!sink.expression.empty()) {
    const bool all = sink.parameters < 0;  // a type with template arguments, perhaps
    std::span<const TokenSpan> given =
        std::span(arguments).subspan(std::min(index, arguments.size()));
    if (!all && given.size() > 1) given = given.first(1);
    if (!SetExpression(sink, SourceText(given), location)) {
      Chain(registration);
      return What::kKnown;
    }
  } else if (sink.form == NameForm::kToken) {
    registration.name = sink.prefix + spelled;
    bool name = !spelled.empty() && std::all_of(spelled.begin(), spelled.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
             static_cast<unsigned char>(c) >= 0x80;
    });
    if (!name) {
      Unresolved(location, "'" + spelled + "' is no operator name: the argument of " + sink.macro +
                               " must be one identifier");
      return What::kKnown;
    }
  } else if (!SetName(expanded, {sink.form, {}, sink.prefix, sink.prefix_optional}, location,
                      registration)) {
    Chain(registration);
    return What::kKnown;
  }
  // Further uses may stand in the chain.
  std::optional<UnknownName> unknown = std::exchange(unknown_, std::nullopt);
  std::string echoed = std::exchange(echoed_, {});
  clang::SourceLocation written = expanded.empty() ? location : expanded.front().location;
  registration.site.location = places_.Written(written);
  registration.site.call = places_.Call(location, registration.site.macro);
  registration.site.condition = places_.When(location);
  registration.site.condition = registration.site.condition.And(WhenAll(expanded));
  if (sink.prefix_optional && !unknown) {
    const std::string bare = registration.name.substr(sink.prefix.size());
    registration.aliases.push_back({bare, registration.site.location, registration.site.condition});
  }
  if (sink.version >= 0 && !Version(sink, arguments, registration)) {
    Unresolved(location, "the version of '" + registration.name + "' is no number");
    return What::kKnown;
  }
  if (!ReadChains(sink, arguments, location, registration)) return What::kKnown;
  if (registration.site.condition.IsNever()) return What::kKnown;
  const What what = unknown ? What::kRecord : What::kKnown;
  unknown_ = std::move(unknown);
  echoed_ = std::move(echoed);
  Found(std::move(registration));
  return what;
}

// The chain in an argument, if any, and the one that follows the call; of a kernel, what else the
// call says of it. False: it is nothing that registers.
bool Matcher::ReadChains(const Sink& sink, const std::vector<TokenSpan>& arguments,
                         clang::SourceLocation location, Registration& registration) {
  if (sink.kernel) return ReadKernel(sink, arguments, location, registration);
  if (sink.chain >= 0) {
    std::size_t chain = 2 + static_cast<std::size_t>(sink.chain);
    if (chain < arguments.size()) ChainIn(arguments[chain], registration);
  }
  Chain(registration);
  return true;
}

// The tokens of several arguments, with a blank between any two.
std::string Matcher::SourceText(std::span<const TokenSpan> arguments) {
  std::string text;
  for (const TokenSpan& argument : arguments) {
    if (!text.empty()) text += ", ";
    for (const TextToken& token : argument) text += token.text + " ";
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

// False where nothing will evaluate what the dialect says that the name is.
bool Matcher::SetExpression(const Sink& sink, const std::string& argument,
                            clang::SourceLocation location) {
  std::string expression = sink.expression;
  const std::size_t place = expression.find("{}");
  if (place != std::string::npos) expression.replace(place, 2, argument);
  Dynamic dynamic{places_.Written(location), expression, {}};
  if (context_.echo == nullptr) {
    facts_.dynamic.push_back(std::move(dynamic));
    return false;
  }
  echoed_ = expression;
  unknown_ = UnknownName{
      {}, {NameForm::kString, {}, sink.prefix, sink.prefix_optional}, std::move(dynamic)};
  return true;
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
      const std::size_t strange = strange_;
      Use();
      result_.ran_on = result_.ran_on || strange_ > strange;
      continue;  // already at the token behind it
    }
    if (!scopes_.empty() && CallsScope()) {
      ScopeCall();
      continue;
    }
    if (DeclaresVariable()) {
      Variable();
      continue;
    }
    depth_ += token_.is(tok::l_brace);
    if (token_.is(tok::r_brace)) {
      --depth_;
      while (!scopes_.empty() && scopes_.back().depth > depth_) scopes_.pop_back();
    }
    if (identifier != nullptr && must_expand_.contains(identifier)) Leftover(false);
    Advance();
  }
  return std::move(result_);
}

MatchResult Match(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts) {
  return Matcher(preprocessor, context, facts).Run();
}

}  // namespace opledger::scan
