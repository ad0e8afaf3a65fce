// __opledger_sink(0, "abs", abs).add_alias("_np_abs").set_attr<T>("FGradient", G{"sign"})
//   -> Registration{abs, alias _np_abs, gradient G{...}} with the places of every part.
// REGISTER_KERNEL_BUILDER(Name("MatMul").Device(DEVICE_GPU).TypeConstraint<Eigen::half>("T"), C)
//   -> Registration{adds to MatMul, Kernel{"cuda", T: float16}}
// TORCH_LIBRARY(ns, m) { m.def("add(Tensor a) -> Tensor"); }  ->  Registration{ns::add}
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/match.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "registry/scan/facts/schema_text.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/match/kernel_call.h"
#include "registry/scan/match/source_locator.h"
#include "registry/scan/match/token_recorder.h"
#include "registry/scan/preprocess/preprocess.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

// More than any real source expands to; a macro bomb reaches it in a fraction of a second.
constexpr std::size_t kMaxMatchTokens = 20'000'000;

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

class Matcher {
 public:
  static constexpr std::size_t kHistory = 16;

  Matcher(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts)
      : preprocessor_(preprocessor),
        context_(context),
        facts_(facts),
        locator_(preprocessor, context),
        sentinel_(preprocessor.getIdentifierInfo(kSentinel)) {
    for (const std::string& name : context.must_expand) {
      must_expand_.insert(preprocessor.getIdentifierInfo(name));
    }
    for (const std::string& name : context.leading) {
      leading_.insert(preprocessor.getIdentifierInfo(name));
    }
    for (const Sink* sink : context.sinks) {
      if (sink->variable) variables_[preprocessor.getIdentifierInfo(sink->macro)] = sink;
    }
  }

  MatchResult Run();

 private:
  // A block in which methods of a variable register.
  struct OpenScope {
    std::string space;
    std::string receiver;
    std::string key;
    int depth;
  };

  void Advance();
  std::string Spelling(const clang::Token& token) const;
  TextToken KeepToken() const { return {token_.getKind(), Spelling(token_), token_.getLocation()}; }
  std::vector<TextToken> Group();
  std::vector<TextToken> TemplateArguments();
  void ReadUse();
  TokenRecorder::Use::What UseSink();
  void OpenScopeBlock(const Sink& sink, const std::vector<TokenSpan>& arguments);
  bool CallsScope();
  void ScopeCall();
  void RegisterInScope(const ScopeMethod& method, const OpenScope& scope,
                       std::span<const TokenSpan> arguments, clang::SourceLocation location);
  void RegisterMethods(const Sink& sink);
  bool DeclaresVariable();
  void ReadVariable();
  void RegisterMade(const Sink& sink, std::span<const TokenSpan> arguments,
                    clang::SourceLocation location);
  std::optional<std::string> NameOf(TokenSpan argument);
  bool SetName(TokenSpan argument, const NameRule& rule, clang::SourceLocation location,
               Registration& registration);
  void FinishRegistration(Registration registration);
  TokenRecorder::Use::What Register(const Sink& sink, const std::vector<TokenSpan>& arguments,
                                    clang::SourceLocation location);
  static std::string SourceText(std::span<const TokenSpan> arguments);
  bool SetExpression(const Sink& sink, const std::string& argument, clang::SourceLocation location);
  Condition ConditionOf(TokenSpan tokens);
  bool ReceiverFits(const Sink& sink) const;
  bool IsDeclaration() const;
  bool Version(const Sink& sink, const std::vector<TokenSpan>& arguments,
               Registration& registration);
  void Chain(Registration& registration);
  void ChainIn(TokenSpan tokens, Registration& registration);
  void KeepCall(const std::string& name, const std::vector<TokenSpan>& arguments,
                clang::SourceLocation location, Registration& registration);
  void Method(const std::string& name, const std::vector<TokenSpan>& templates,
              const std::vector<TokenSpan>& arguments, clang::SourceLocation location,
              Registration& registration);
  void MethodOfKernel(const std::string& name, const std::vector<TokenSpan>& templates,
                      const std::vector<TokenSpan>& arguments, clang::SourceLocation location);
  bool ReadKernel(const Sink& sink, const std::vector<TokenSpan>& arguments,
                  clang::SourceLocation location, Registration& registration);
  bool ReadChains(const Sink& sink, const std::vector<TokenSpan>& arguments,
                  clang::SourceLocation location, Registration& registration);
  void AddField(const ChainMethod& method, const std::vector<TokenSpan>& arguments,
                clang::SourceLocation location, Registration& registration);
  const KeyField* TakeKeyField(FieldFact& fact) const;
  static void UseWord(const std::map<std::string, std::string>& words, TokenSpan value,
                      FieldFact& fact);
  void ReportUnexpanded(bool in_chain);
  void Unresolved(clang::SourceLocation location, std::string detail);

  clang::Preprocessor& preprocessor_;
  const MatchContext& context_;
  Facts& facts_;
  SourceLocator locator_;
  clang::IdentifierInfo* sentinel_;
  llvm::DenseSet<clang::IdentifierInfo*> must_expand_;
  llvm::DenseSet<clang::IdentifierInfo*> leading_;
  llvm::DenseMap<clang::IdentifierInfo*, const Sink*> variables_;  // sinks that are classes
  clang::Token token_;
  std::size_t count_ = 0;
  std::size_t strange_ = 0;                      // tokens that are none of C++
  std::vector<clang::Token> history_{kHistory};  // a ring: the tokens before the current one
  std::vector<OpenScope> scopes_;
  int depth_ = 0;                       // open braces
  std::optional<UnknownName> unknown_;  // of the registration that is being read
  std::string recorded_text_;           // the text of the last TokenRecorder::Use
  std::size_t use_token_ = 0;           // of the use that is being read
  Kernel* kernel_ = nullptr;            // that the chain being read is of
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
  if (token_.is(tok::eof)) return;
  history_[count_++ % kHistory] = token_;
  preprocessor_.Lex(token_);
  if (context_.recorder != nullptr && !token_.is(tok::eof)) {
    context_.recorder->Add(token_.getKind(), Spelling(token_), token_.isAtStartOfLine());
  }
  strange_ += token_.is(tok::unknown);
  if (token_.is(tok::identifier) && leading_.contains(token_.getIdentifierInfo())) {
    locator_.AddSpots(token_.getLocation(), context_.spots.unexpanded);
  }
  if (count_ == kMaxMatchTokens) {
    Location location;
    location.path = context_.tree.files()[context_.unit].path;
    facts_.incomplete.push_back(
        {location, "file",
         "expands to more than 20 million tokens: a macro bomb? the rest was not read"});
    token_.setKind(tok::eof);
  }
  if (count_ > kMaxMatchTokens) token_.setKind(tok::eof);
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
      ReadUse();  // a registration inside another one's arguments
      if (token_.is(tok::eof)) break;
    }
    tokens.push_back(KeepToken());
  }
  return tokens;
}

// The tokens between the current '<' and its '>', which is passed; only kernels need to know them.
std::vector<TextToken> Matcher::TemplateArguments() {
  std::vector<TextToken> tokens;
  int depth = 0;
  for (int limit = 0; limit < 200 && !token_.isOneOf(tok::eof, tok::semi); ++limit) {
    if (kernel_ != nullptr && depth > 0) tokens.push_back(KeepToken());
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
  facts_.incomplete.push_back({locator_.WrittenAt(location), "registration", std::move(detail)});
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

// Records, where that is asked for, what became of the tokens.
void Matcher::ReadUse() {
  locator_.AddSpots(token_.getLocation(), context_.spots.read);
  if (context_.recorder == nullptr) {
    UseSink();
    return;
  }
  TokenRecorder::Use use;
  use.token = context_.recorder->Last();
  use_token_ = use.token;
  use.what = UseSink();
  use.text = std::move(recorded_text_);
  recorded_text_.clear();
  use.end = token_.is(tok::eof) ? use.token + 1 : context_.recorder->Last();
  if (use.what == TokenRecorder::Use::What::kRecord) {
    use.number = static_cast<int>(result_.unknown.size()) - 1;
  }
  context_.recorder->AddUse(std::move(use));
}

TokenRecorder::Use::What Matcher::UseSink() {
  using What = TokenRecorder::Use::What;
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
  recorded_text_.clear();
  if (locator_.IsInOtherHeader(location)) return What::kKnown;
  std::vector<TokenSpan> arguments = SplitArguments(tokens);
  std::size_t number = context_.sinks.size();
  if (!arguments.empty() && arguments[0].size() == 1) {
    const std::string& text = arguments[0][0].text;
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  if (number >= context_.sinks.size() || arguments.size() < 2) return What::kNothing;
  const Sink& sink = *context_.sinks[number];
  if ((sink.is_call && declaration) || !receiver_fits[number]) {
    recorded_text_ = sink.macro + "(" + SourceText(std::span(arguments).subspan(2)) + ")";
    return What::kNothing;
  }
  if (sink.scope) {
    const bool opens = token_.is(tok::l_brace);
    OpenScopeBlock(sink, arguments);
    if (opens) recorded_text_ = scopes_.back().receiver;
    return opens ? What::kBlock : What::kKnown;
  }
  if (sink.variable && !sink.methods.empty())
    RegisterMade(sink, std::span(arguments).subspan(2), location);
  if (sink.methods.empty()) return Register(sink, arguments, location);
  RegisterMethods(sink);
  return What::kKnown;
}

// The condition under which the tokens are what they are, without what stands in braces.
Condition Matcher::ConditionOf(TokenSpan tokens) {
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
    when = when.And(locator_.ConditionAt(token.location));
  }
  return when;
}

TokenRecorder::Use::What Matcher::Register(const Sink& sink,
                                           const std::vector<TokenSpan>& arguments,
                                           clang::SourceLocation location) {
  using What = TokenRecorder::Use::What;
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
      Unresolved(location, "'" + spelled + "' is not an operator name: the argument of " +
                               sink.macro + " must be one identifier");
      return What::kKnown;
    }
  } else if (!SetName(expanded, {sink.form, {}, sink.prefix, sink.prefix_optional}, location,
                      registration)) {
    Chain(registration);
    return What::kKnown;
  }
  // Further uses may stand in the chain.
  std::optional<UnknownName> unknown = std::exchange(unknown_, std::nullopt);
  std::string recorded_text = std::exchange(recorded_text_, {});
  clang::SourceLocation written = expanded.empty() ? location : expanded.front().location;
  registration.site.location = locator_.WrittenAt(written);
  registration.site.call = locator_.CallAt(location, registration.site.macro);
  registration.site.condition = locator_.ConditionAt(location);
  registration.site.condition = registration.site.condition.And(ConditionOf(expanded));
  if (sink.prefix_optional && !unknown) {
    const std::string bare = registration.name.substr(sink.prefix.size());
    registration.aliases.push_back({bare, registration.site.location, registration.site.condition});
  }
  if (sink.version >= 0 && !Version(sink, arguments, registration)) {
    Unresolved(location, "the version of '" + registration.name + "' is not a number");
    return What::kKnown;
  }
  if (!ReadChains(sink, arguments, location, registration)) return What::kKnown;
  if (registration.site.condition.IsNever()) return What::kKnown;
  const What what = unknown ? What::kRecord : What::kKnown;
  unknown_ = std::move(unknown);
  recorded_text_ = std::move(recorded_text);
  FinishRegistration(std::move(registration));
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
  Dynamic dynamic{locator_.WrittenAt(location), expression, {}};
  if (context_.recorder == nullptr) {
    facts_.dynamic.push_back(std::move(dynamic));
    return false;
  }
  recorded_text_ = expression;
  unknown_ = UnknownName{
      {}, {NameForm::kString, {}, sink.prefix, sink.prefix_optional}, std::move(dynamic)};
  return true;
}

// An identifier that should have been expanded: a macro known to register, or what follows a chain
// that no ';' ends.
void Matcher::ReportUnexpanded(bool in_chain) {
  clang::SourceLocation location = token_.getLocation();
  std::string name = preprocessor_.getSpelling(token_);
  bool must = must_expand_.contains(token_.getIdentifierInfo());
  if ((!must && !in_chain) || locator_.IsInOtherHeader(location)) return;
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
      ReadUse();
      result_.ran_on = result_.ran_on || strange_ > strange;
      continue;  // already at the token behind it
    }
    if (!scopes_.empty() && CallsScope()) {
      ScopeCall();
      continue;
    }
    if (DeclaresVariable()) {
      ReadVariable();
      continue;
    }
    depth_ += token_.is(tok::l_brace);
    if (token_.is(tok::r_brace)) {
      --depth_;
      while (!scopes_.empty() && scopes_.back().depth > depth_) scopes_.pop_back();
    }
    if (identifier != nullptr && must_expand_.contains(identifier)) ReportUnexpanded(false);
    Advance();
  }
  return std::move(result_);
}

// Chains.

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
  at = ClosingBracket(tokens, at) + 1;
  while (at + 2 < tokens.size() &&
         (tokens[at].kind == tok::period || tokens[at].kind == tok::arrow)) {
    const TextToken& method = tokens[at + 1];
    std::size_t open = at + 2;
    while (open < tokens.size() && tokens[open].kind != tok::l_paren) ++open;  // <T>
    std::size_t close = open < tokens.size() ? ClosingBracket(tokens, open) : open;
    if (close >= tokens.size()) break;
    TokenSpan templates;
    if (tokens[at + 2].kind == tok::less) templates = tokens.subspan(at + 3, open - at - 4);
    Method(method.text, SplitArguments(templates),
           SplitArguments(tokens.subspan(open + 1, close - open - 1)), method.location,
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
    std::vector<TextToken> templates;
    if (token_.is(tok::less)) templates = TemplateArguments();
    if (!token_.is(tok::l_paren)) break;
    std::vector<TextToken> tokens = Group();
    if (token_.is(tok::eof)) {
      Unresolved(location, "'" + name + "(' is not closed before the file ends");
    }
    Advance();
    Method(name, SplitArguments(templates), SplitArguments(tokens), location, registration);
  }
  if (token_.is(tok::identifier) && token_.getIdentifierInfo() != sentinel_) ReportUnexpanded(true);
}

void Matcher::Method(const std::string& name, const std::vector<TokenSpan>& templates,
                     const std::vector<TokenSpan>& arguments, clang::SourceLocation location,
                     Registration& registration) {
  if (kernel_ != nullptr) return MethodOfKernel(name, templates, arguments, location);
  bool evaluates = !context_.dialect.evaluation.empty();
  bool called = false;
  for (const ChainMethod& method : context_.dialect.chain) {
    bool mine = method.within.empty() ? method.method == name : method.within == name;
    if (!mine || method.field == "ignore") continue;
    if (evaluates && method.field != "alias") {
      called = true;
    } else if (method.within.empty()) {
      AddField(method, arguments, location, registration);
    }
  }
  if (called) KeepCall(name, arguments, location, registration);
}

// For evaluation, when all definitions are known: the arguments that some rule asks for.
void Matcher::KeepCall(const std::string& name, const std::vector<TokenSpan>& arguments,
                       clang::SourceLocation location, Registration& registration) {
  MethodCall call{name, {}, registration.site.condition.And(locator_.ConditionAt(location))};
  call.arguments.resize(arguments.size());
  std::vector<std::string> inner;
  std::set<int> wanted;
  for (const ChainMethod& method : context_.dialect.chain) {
    if (method.within == name) inner.push_back(method.method);
    if (method.method != name || !method.within.empty()) continue;
    wanted.insert({method.key, method.value, method.order});
    for (const ChainMethod::Detail& detail : method.details) wanted.insert(detail.argument);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!inner.empty()) call.arguments[i] = CallsOf(arguments[i], inner);
    if (!wanted.contains(static_cast<int>(i))) continue;
    for (const TextToken& token : arguments[i]) call.arguments[i] += token.text + " ";
    call.condition = call.condition.And(ConditionOf(arguments[i]));
  }
  if (!call.condition.IsNever()) registration.calls.push_back(std::move(call));
}

// Moves the fact to the field that the dialect has for its key, if any.
const KeyField* Matcher::TakeKeyField(FieldFact& fact) const {
  const auto& own = context_.dialect.key_fields;
  auto found = std::find_if(own.begin(), own.end(),
                            [&](const KeyField& field) { return field.key == fact.value.key; });
  if (found == own.end()) return nullptr;
  fact.field = found->field;
  bool only = std::count_if(own.begin(), own.end(), [&](const KeyField& field) {
                return field.field == found->field;
              }) == 1;
  if (!found->as.empty()) {
    fact.value.key = found->as;
  } else if (only) {
    fact.value.key.clear();  // the field says it all
  }
  return &*found;
}

// "MixedPrecisionPolicyKind::kFollow": what `words` has for the first name that it knows.
void Matcher::UseWord(const std::map<std::string, std::string>& words, TokenSpan value,
                      FieldFact& fact) {
  for (const TextToken& token : value) {
    auto word = words.find(token.text);
    if (word == words.end()) continue;
    fact.value.value = word->second;
    return;
  }
}

void Matcher::AddField(const ChainMethod& method, const std::vector<TokenSpan>& arguments,
                       clang::SourceLocation location, Registration& registration) {
  if (method.field == "ignore") return;
  Condition when = registration.site.condition.And(locator_.ConditionAt(location));
  auto argument = [&](int index) {
    bool there = index >= 0 && static_cast<std::size_t>(index) < arguments.size();
    return there ? arguments[index] : TokenSpan();
  };
  TokenSpan value = argument(method.value);
  when = when.And(ConditionOf(value));
  if (when.IsNever()) return;
  if (method.field == "alias") {
    if (std::optional<std::string> name = StringValue(value)) {
      registration.aliases.push_back({*name, locator_.WrittenAt(value.front().location), when});
    } else {
      Unresolved(location, "the alias of '" + registration.name +
                               "' is not a constant string: " + CanonicalText(value));
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
  const KeyField* own = TakeKeyField(fact);
  const auto& lists = context_.dialect.string_lists;
  if (std::find(lists.begin(), lists.end(), fact.field) != lists.end()) {
    fact.value.value = ReturnedStrings(value);
  } else {
    std::optional<std::string> text = StringValue(value);
    fact.value.value = text ? *text : CanonicalText(value);
  }
  if (own != nullptr) UseWord(own->values, value, fact);
  fact.order = static_cast<int>(
      std::count_if(registration.fields.begin(), registration.fields.end(),
                    [&](const FieldFact& other) { return other.field == fact.field; }));
  registration.fields.push_back(std::move(fact));
}

// Kernels.

// A method of the chain of a kernel.
void Matcher::MethodOfKernel(const std::string& name, const std::vector<TokenSpan>& templates,
                             const std::vector<TokenSpan>& arguments,
                             clang::SourceLocation location) {
  for (const KernelMethod& method : context_.dialect.kernels.methods) {
    if (method.method != name) continue;
    // Of two forms of one method, the one that was written.
    if ((method.says.templates && templates.empty()) ||
        (method.says.dtypes >= 0 && !templates.empty())) {
      continue;
    }
    AddKernelCall(context_.dialect, method.says, templates, arguments, *kernel_);
    Condition when = locator_.ConditionAt(location);
    for (TokenSpan argument : templates) when = when.And(ConditionOf(argument));
    for (TokenSpan argument : arguments) when = when.And(ConditionOf(argument));
    kernel_->condition = kernel_->condition.And(when);
  }
}

// The kernel that the sink registers, and its chain; at the token behind the call. False: none.
bool Matcher::ReadKernel(const Sink& sink, const std::vector<TokenSpan>& arguments,
                         clang::SourceLocation location, Registration& registration) {
  Kernel kernel;
  kernel.location = registration.site.location;
  kernel.condition = registration.site.condition;
  const std::vector<TokenSpan> own(arguments.begin() + 2, arguments.end());
  AddKernelCall(context_.dialect, *sink.kernel, {}, own, kernel);
  if (sink.kernel->dtypes >= 0) {
    for (TokenSpan argument : own) kernel.condition = kernel.condition.And(ConditionOf(argument));
  }
  Kernel* const outer = kernel_;
  kernel_ = &kernel;
  if (sink.chain >= 0) ChainIn(ArgumentAt(own, sink.chain), registration);
  Chain(registration);
  kernel_ = outer;
  if (kernel.device.empty()) {
    Unresolved(location, "the kernel of '" + registration.name + "' names no device");
    return false;
  }
  if (kernel.condition.IsNever()) return false;
  registration.kernels.push_back(std::move(kernel));
  registration.adds = !sink.operator_too;
  return true;
}

// Blocks and variables that register.

// At the token behind a scope macro's ')': its block begins, or it only declares one.
void Matcher::OpenScopeBlock(const Sink& sink, const std::vector<TokenSpan>& arguments) {
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
  const std::size_t token = context_.recorder == nullptr ? 0 : context_.recorder->Last();
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
  if (locator_.IsInOtherHeader(location)) return;
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
  registration.site.location = locator_.WrittenAt(name.front().location);
  registration.site.call = locator_.CallAt(location, registration.site.macro);
  registration.site.condition = locator_.ConditionAt(location).And(ConditionOf(name));
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
  using What = TokenRecorder::Use::What;
  const What what = unknown_ ? What::kRecord : What::kKnown;
  FinishRegistration(std::move(registration));
  if (context_.recorder == nullptr) return;
  const int number = what == What::kRecord ? static_cast<int>(result_.unknown.size()) - 1 : -1;
  context_.recorder->AddUse({use_token_, 0, what, std::exchange(recorded_text_, {}), number});
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
    const std::size_t token = context_.recorder == nullptr ? 0 : context_.recorder->Last();
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
  if (variables_.empty() || variables_.count(token_.getIdentifierInfo()) == 0) return false;
  const unsigned name = preprocessor_.LookAhead(0).is(tok::kw_const) ? 1 : 0;
  return preprocessor_.LookAhead(name).is(tok::identifier) &&
         preprocessor_.LookAhead(name).getIdentifierInfo()->getName() != "final" &&
         preprocessor_.LookAhead(name + 1).isOneOf(tok::l_paren, tok::l_brace);
}

void Matcher::ReadVariable() {
  const Sink& sink = *variables_.find(token_.getIdentifierInfo())->second;
  const clang::SourceLocation location = token_.getLocation();
  locator_.AddSpots(location, context_.spots.read);
  const std::size_t token = context_.recorder == nullptr ? 0 : context_.recorder->Last();
  Advance();
  if (token_.is(tok::kw_const)) Advance();
  Advance();
  const std::vector<TextToken> tokens = Group();
  use_token_ = token;
  Advance();
  if (locator_.IsInOtherHeader(location)) return;
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

// False, and a dynamic registration, where the name is no constant and nothing will evaluate it.
bool Matcher::SetName(TokenSpan argument, const NameRule& rule, clang::SourceLocation location,
                      Registration& registration) {
  if (std::optional<std::string> value = NameOf(argument)) {
    scan::SetName(*value, rule, context_.dialect.separator, registration);
    return true;
  }
  Dynamic dynamic{locator_.WrittenAt(location), CanonicalText(argument), {}};
  if (context_.recorder == nullptr) {
    facts_.dynamic.push_back(std::move(dynamic));
    return false;
  }
  recorded_text_ = SourceText({&argument, 1});
  unknown_ = UnknownName{{}, rule, std::move(dynamic)};
  return true;
}

// A registration that was read to its end.
void Matcher::FinishRegistration(Registration registration) {
  if (!unknown_) {
    facts_.registrations.push_back(std::move(registration));
    return;
  }
  unknown_->registration = std::move(registration);
  result_.unknown.push_back(std::move(*unknown_));
  unknown_.reset();
}

}  // namespace

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

MatchResult Match(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts) {
  return Matcher(preprocessor, context, facts).Run();
}

}  // namespace opledger::scan
