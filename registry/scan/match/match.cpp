// __opledger_sink(0, "abs", abs).add_alias("_np_abs").set_attr<T>("FGradient", G{"sign"})
//   -> Registration{abs, alias _np_abs, gradient G{...}} with the places of every part.
// REGISTER_KERNEL_BUILDER(Name("MatMul").Device(DEVICE_GPU).TypeConstraint<Eigen::half>("T"), C)
//   -> Registration{adds to MatMul, Kernel{"cuda", T: float16}}
// TORCH_LIBRARY(ns, m) { m.def("add(Tensor a) -> Tensor"); }  ->  Registration{ns::add}
// Every use of a sink, and every mention of a variable that registers, ends in a UseEnd; what
// cannot be followed ends in kIncomplete.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/match.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clang/Lex/Preprocessor.h"
#include "registry/scan/facts/schema_text.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/match/call_form.h"
#include "registry/scan/match/kernel_call.h"
#include "registry/scan/match/receiver.h"
#include "registry/scan/match/sink_definition.h"
#include "registry/scan/match/source_locator.h"
#include "registry/scan/match/token_recorder.h"
#include "registry/scan/match/token_stream.h"
#include "registry/scan/match/variable_use.h"
#include "registry/scan/preprocess/preprocess.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

using Index = TokenStream::Index;
using What = TokenRecorder::Use::What;

// How what leads to a registration ends.
enum class UseEnd {
  kRegistered,   // it registers, or its name is told as one that is not known
  kBlock,        // it opens a block
  kDeclaration,  // it declares the function or class, or is what their own definitions hand on
  kOther,        // it is another type's, or only names the function or class
  kOutside,      // it is in a header that is read by itself
  kNever,        // under conditions that exclude each other
  kIncomplete    // told
};

// A registration that could be read, or what stands in its place.
struct Ended {
  UseEnd how = UseEnd::kOther;
  What what = What::kKnown;
};

// A use of a sink with arguments.
struct Call {
  const Sink* sink = nullptr;
  std::size_t number = 0;  // of the sink
  Index at = 0;            // of its name
  clang::SourceLocation location;
  std::string spelled;  // the name argument as written
  std::span<const TokenSpan> arguments;

  TokenSpan Argument(int index) const {
    const bool there = index >= 0 && static_cast<std::size_t>(index) < arguments.size();
    return there ? arguments[static_cast<std::size_t>(index)] : TokenSpan();
  }
};

// What stands in the place of a registration inside the arguments of another.
constexpr tok::TokenKind kNested = tok::annot_primary_expr;

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

bool IsMade(TokenSpan argument) {
  return std::any_of(argument.begin(), argument.end(),
                     [](const TextToken& token) { return token.kind == kNested; });
}

// What stands between the brackets that hold all of it: {"x", f} -> "x", f
TokenSpan Inside(TokenSpan tokens) {
  const bool whole = tokens.size() >= 2 && tokens.front().kind == tok::l_brace &&
                     ClosingBracket(tokens, 0) + 1 == tokens.size();
  return whole ? tokens.subspan(1, tokens.size() - 2) : TokenSpan();
}

bool HoldsString(TokenSpan tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [](const TextToken& token) {
    return token.kind == tok::string_literal || token.kind == tok::utf8_string_literal;
  });
}

// A literal that is no name: false, 3.
bool IsNoString(TokenSpan tokens) {
  if (tokens.size() != 1) return false;
  const tok::TokenKind kind = tokens[0].kind;
  return kind == tok::kw_true || kind == tok::kw_false || kind == tok::numeric_constant ||
         kind == tok::char_constant || kind == tok::kw_nullptr;
}

// Functions that make an object of the class that is their template argument.
bool IsMaker(std::string_view name) {
  return name == "make_unique" || name == "make_shared" || name == "make_optional" ||
         name == "make_unique_for_overwrite";
}

// Classes whose objects hold those of their template argument, as they are given.
bool IsContainer(std::string_view name) {
  for (std::string_view known : {"vector", "list", "deque", "forward_list", "set", "multiset",
                                 "unordered_set", "initializer_list", "optional", "array"}) {
    if (name == known) return true;
  }
  return false;
}

// Templates that make no object of their argument unless they are given something to make it of.
bool MakesNothing(std::string_view name) {
  for (std::string_view known : {"map",
                                 "multimap",
                                 "unordered_map",
                                 "unordered_multimap",
                                 "unique_ptr",
                                 "shared_ptr",
                                 "weak_ptr",
                                 "function",
                                 "reference_wrapper",
                                 "variant",
                                 "stack",
                                 "queue",
                                 "hash",
                                 "less",
                                 "allocator",
                                 "declval",
                                 "get",
                                 "get_if",
                                 "holds_alternative",
                                 "any_cast",
                                 "move",
                                 "forward",
                                 "ref",
                                 "cref",
                                 "swap",
                                 "static_pointer_cast",
                                 "dynamic_pointer_cast",
                                 "numeric_limits",
                                 "const_pointer_cast",
                                 "is_same_v"}) {
    if (name == known) return true;
  }
  return IsContainer(name);
}

// What may stand beside the name of a type in a declaration.
bool IsDeclarationWord(tok::TokenKind kind) {
  switch (kind) {
    case tok::kw_const:
    case tok::kw_volatile:
    case tok::kw_static:
    case tok::kw_inline:
    case tok::kw_constexpr:
    case tok::kw_constinit:
    case tok::kw_thread_local:
    case tok::kw_typedef:
      return true;
    default:
      return false;
  }
}

class Matcher {
 public:
  Matcher(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts);

  MatchResult Run();

 private:
  // What a method of the chain says that stands before the name.
  struct ChainPrefix {
    const Sink* sink = nullptr;
    std::optional<std::string> said;
  };
  // What a block's variable, or a function's parameter, stands for.
  struct Library {
    std::string space;
    std::string key;
    int helper = -1;       // what the callers of this function give
    bool unknown = false;  // made in a way that is not followed
  };
  // A variable through which something registers, or may go on to.
  struct Variable {
    enum class Kind {
      kLibrary,       // the variable of a scope
      kRegistration,  // what a registration returned: auto& op = REGISTER(x);
      kObject,        // of a class whose methods register
      kContainer,     // of objects that register
      kHidden         // another variable of the same name
    };
    Kind kind = Kind::kHidden;
    int depth = 0;  // it is gone where fewer braces are open
    Library library = {};
    const Sink* sink = nullptr;
    std::size_t registration = 0;  // index, of `unknown` or else of the facts
    bool unknown = false;
    bool exact = true;              // a container that is known
    bool member = false;            // of a class: objects of it may stand before its name
    bool made = false;              // of no block: what is not a call of a method says nothing
    Index at = TokenStream::kNone;  // of its declaration, where that is still to be read
  };
  enum class Holder { kNone, kContainer, kUnknown };
  // Of what an identifier may be.
  struct Interest {
    const Sink* sink = nullptr;  // its name, or that of a class that it is an alias of
    std::size_t number = 0;
    bool macro = false;  // pinned: with arguments behind it, it would be expanded
    bool must_expand = false;
    bool scope_type = false;
    bool leads = false;               // to a registration
    const Sink* method_of = nullptr;  // a method that registers on objects of this class
    Holder holder = Holder::kNone;    // it is an alias of what holds objects of the class
    std::vector<Variable> variables;  // innermost last
  };
  // A parameter, before the block of its function begins.
  struct Parameter {
    const clang::IdentifierInfo* name;
    Variable variable;
    int brackets;  // that are open around the parameters
  };
  // A function or lambda that takes the variable of a scope.
  struct Helper {
    std::string name;  // of a lambda that is called at once: empty
    int parameter = 0;
    Index body = TokenStream::kNone;
  };
  // A call of a helper.
  struct HelperCall {
    std::string name;
    Index body;
    int argument;
    Library library;
    clang::SourceLocation location;
  };
  // The body of a function that returns an object of the class.
  struct Returning {
    const Sink* sink;
    std::size_t number;
    Index body;  // its '{'
    int depth;   // braces that are open in it
  };
  // A class derived from one that registers, whose constructor has not been seen.
  struct Derived {
    const Sink* sink;
    const clang::IdentifierInfo* name;
    clang::SourceLocation location;
    int depth;
  };
  // A registration in a helper's body.
  struct InHelper {
    const ScopeMethod* method;
    int helper;
    std::vector<TextToken> tokens;
    clang::SourceLocation location;
    std::size_t token;
  };

  void Advance();
  bool Take();
  void Account(clang::SourceLocation location, UseEnd end);
  bool TakeIdentifier(Interest& interest);
  void TrackScopes();
  bool IsCurrent(clang::IdentifierInfo* identifier) const {
    return stream_.token().getIdentifierInfo() == identifier;
  }
  std::size_t RecordedToken() const {
    return context_.recorder == nullptr ? 0 : context_.recorder->Last();
  }
  std::vector<TextToken> Group();
  std::vector<TextToken> TemplateArguments();
  std::vector<TextToken> Expression();
  UseEnd ReadUse();
  Ended UseSink();
  Ended EndCall(const Call& call);
  Ended EndMade(const Call& call);
  std::optional<UseEnd> NoUse(const Call& call);
  bool IsDefinedAnew(const Call& call);
  bool IsHandedOn(const Call& call);
  bool InDefinitionOfSink(Index at);
  UseEnd OpenScopeBlock(const Call& call);

  UseEnd ReadBare(const Interest& interest);
  UseEnd ReadType(const Call& use);
  UseEnd ReadDeclarators(const Call& use);
  UseEnd ReadTypedef(const Call& use);
  UseEnd ReadCast(const Call& use);
  UseEnd ReadParameterList(const Call& use);
  bool SkipAttribute();
  void AddDerived(const Call& use);
  void TrackDerived();
  bool ReadReturn();
  UseEnd EndFunction(const Call& use);
  UseEnd Nameless(const Call& use);
  UseEnd ReadTemplateArgument(const Call& use);
  UseEnd ReadContainer(const Call& use, bool exact, bool optional);
  UseEnd ReadElements(const Call& use, TokenSpan tokens, bool exact);
  UseEnd Made(Call call, TokenSpan arguments, std::size_t token);
  UseEnd NameAlias(const Call& use, const clang::IdentifierInfo* name,
                   Holder holder = Holder::kNone);
  const clang::IdentifierInfo* AliasOf(Index at);
  std::optional<UseEnd> NamesAnother(const Call& use);
  bool Swallowed() const;
  bool DeclaresType(Index at);
  const clang::IdentifierInfo* ClassAround(Index at);
  UseEnd TakesObjects(const Call& use, bool variable);

  void AddVariable(const clang::IdentifierInfo* name, Variable variable);
  void AddParameter(const clang::IdentifierInfo* name, Variable variable, int brackets);
  UseEnd UseVariable(const Variable& variable);
  UseEnd UseLibrary(const Variable& variable, const VariableUse& mention);
  UseEnd UseObjects(const Variable& variable, const VariableUse& mention);
  void CallOnLibrary(const Library& library);
  void CallOnRegistration(const Variable& variable);
  void NameResult(const Call& call, bool unknown);
  bool GivesAliases() const {
    return std::any_of(context_.dialect.chain.begin(), context_.dialect.chain.end(),
                       [](const ChainMethod& method) { return method.field == "alias"; });
  }
  bool ReadScopeType();
  bool ReadScopeCast();
  bool DeclaresScopeVariable();
  bool ReadHelperParameter(unsigned name);
  void EndHelpers();
  std::vector<Library> LibrariesOf(int helper, std::set<int>& seen);
  bool Matches(const Helper& helper, const HelperCall& call) const {
    const bool same = call.body != TokenStream::kNone
                          ? helper.body == call.body
                          : !call.name.empty() && helper.name == call.name;
    return same && helper.parameter == call.argument;
  }

  std::string KeyOf(const ScopeMethod& method, const Library& scope, TokenSpan argument,
                    TokenSpan& value);
  UseEnd RegisterInScope(const ScopeMethod& method, const Library& scope,
                         std::span<const TokenSpan> arguments, clang::SourceLocation location);
  UseEnd RegisterMethods(const Sink& sink);
  std::optional<std::string> NameOf(TokenSpan argument);
  bool SetName(TokenSpan argument, const NameRule& rule, clang::SourceLocation location,
               Registration& registration);
  void FinishRegistration(Registration registration);
  Ended Register(const Call& call);
  static std::string SourceText(std::span<const TokenSpan> arguments);
  bool SetExpression(const Sink& sink, const std::string& prefix, const std::string& argument,
                     clang::SourceLocation location);
  std::optional<std::string> PrefixSaid(const Sink& sink, TokenSpan argument);
  bool ReadWithPrefix(const Call& call, Registration& registration);
  UseEnd UnknownPrefix(const Call& call);
  bool IsWithin(const std::string& name, Index at);
  Condition ConditionOf(TokenSpan tokens);
  bool Version(const Call& call, Registration& registration);
  void Chain(Registration& registration);
  void ChainIn(TokenSpan tokens, Registration& registration);
  void KeepCall(const std::string& name, const std::vector<TokenSpan>& arguments,
                clang::SourceLocation location, Registration& registration);
  void Method(const std::string& name, const std::vector<TokenSpan>& templates,
              const std::vector<TokenSpan>& arguments, clang::SourceLocation location,
              Registration& registration);
  void MethodOfKernel(const std::string& name, const std::vector<TokenSpan>& templates,
                      const std::vector<TokenSpan>& arguments, clang::SourceLocation location);
  bool ReadKernel(const Call& call, Registration& registration);
  bool ReadChains(const Call& call, Registration& registration);
  void AddField(const ChainMethod& method, const std::vector<TokenSpan>& arguments,
                clang::SourceLocation location, Registration& registration);
  const KeyField* TakeKeyField(FieldFact& fact) const;
  static void UseWord(const std::map<std::string, std::string>& words, TokenSpan value,
                      FieldFact& fact);
  void ReportUnexpanded(bool in_chain);
  void ReportMethod(const Sink& sink);
  UseEnd Unresolved(clang::SourceLocation location, std::string detail);

  clang::Preprocessor& preprocessor_;
  const MatchContext& context_;
  Facts& facts_;
  TypeLists type_lists_;
  SourceLocator locator_;
  TokenStream stream_;
  clang::IdentifierInfo* sentinel_;
  std::vector<Receiver> receivers_;  // of each sink
  std::unordered_map<const clang::IdentifierInfo*, Interest> interests_;
  Interest* interest_ = nullptr;                                        // of the current token
  std::vector<std::pair<int, const clang::IdentifierInfo*>> declared_;  // variables, by depth
  std::vector<Parameter> parameters_;  // of functions whose block has not begun
  int libraries_ = 0;                  // variables of that kind
  std::vector<Helper> helpers_;
  std::vector<HelperCall> helper_calls_;
  std::deque<InHelper> in_helpers_;
  std::vector<Returning> returning_;
  std::vector<Derived> derived_;
  std::map<const Sink*, std::optional<Offset>> defined_anew_;
  std::set<const clang::IdentifierInfo*> enums_;  // with an enumerator named like a sink
  int outer_angles_ = 0;     // that the last TemplateArguments() closed besides: vector<T<int>>
  bool as_written_ = false;  // what Take() passed registers nothing
  std::optional<UnknownName> unknown_;  // of the registration that is being read
  std::string recorded_text_;           // the text of the last TokenRecorder::Use
  std::size_t use_token_ = 0;           // of the use that is being read
  Kernel* kernel_ = nullptr;            // that the chain being read is of
  ChainPrefix* prefix_ = nullptr;       // that its chain may say
  MatchResult result_;
};

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
    facts_.incomplete.push_back(
        {location, "file",
         "expands to more than 20 million tokens: a macro bomb? the rest was not read"});
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

// Books what became of a name that leads to a registration.
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

// Reads what begins at the token, where that matters, and is at the token behind it then.
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
  return interest_ != nullptr && TakeIdentifier(*interest_);
}

bool Matcher::TakeIdentifier(Interest& interest) {
  if (!interest.variables.empty() && interest.variables.back().kind != Variable::Kind::kHidden) {
    const Variable variable = interest.variables.back();
    const Index begin = stream_.position();
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
  if (interest.sink == nullptr) return false;
  const clang::SourceLocation location = stream_.token().getLocation();
  if (!interest.variables.empty()) {  // hidden: it is another's name here
    Account(location, UseEnd::kOther);
    return false;
  }
  const UseEnd end = ReadBare(interest);
  Account(location, end);
  as_written_ = end == UseEnd::kOther || end == UseEnd::kDeclaration;
  return true;
}

// Variables whose block has ended are gone; parameters count from where their block begins.
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

// The tokens between the current bracket and the one that closes it, which becomes the current
// token.
std::vector<TextToken> Matcher::Group() {
  std::vector<TextToken> tokens;
  tokens.reserve(32);
  int depth = 1;
  Advance();
  while (!stream_.AtEnd()) {
    const Index begin = stream_.position();
    const clang::SourceLocation location = stream_.token().getLocation();
    if (Take()) {
      if (as_written_) {
        for (TextToken& token : stream_.Tokens(begin, stream_.position())) {
          tokens.push_back(std::move(token));
        }
      } else {
        tokens.push_back({kNested, "", location});  // a registration inside another's arguments
      }
      continue;
    }
    const tok::TokenKind kind = stream_.token().getKind();
    depth += OpensBracket(kind);
    if (ClosesBracket(kind) && --depth == 0) break;
    tokens.push_back(stream_.Keep());
    Advance();
  }
  return tokens;
}

// Up to a ',' or ';' that is in no bracket, or the bracket that closes what this stands in.
std::vector<TextToken> Matcher::Expression() {
  std::vector<TextToken> tokens;
  while (!stream_.AtEnd() && !stream_.token().isOneOf(tok::comma, tok::semi)) {
    const tok::TokenKind kind = stream_.token().getKind();
    if (ClosesBracket(kind)) break;
    const clang::SourceLocation location = stream_.token().getLocation();
    if (Take()) {
      if (!as_written_) tokens.push_back({kNested, "", location});
      continue;
    }
    tokens.push_back(stream_.Keep());
    if (OpensBracket(kind)) {
      for (TextToken& token : Group()) tokens.push_back(std::move(token));
      if (!stream_.AtEnd()) tokens.push_back(stream_.Keep());
    }
    Advance();
  }
  return tokens;
}

// The tokens between the current '<' and its '>', which is passed; only kernels need to know them.
std::vector<TextToken> Matcher::TemplateArguments() {
  std::vector<TextToken> tokens;
  int angles = 0;
  int brackets = 0;
  while (!stream_.AtEnd()) {
    const tok::TokenKind kind = stream_.token().getKind();
    brackets += OpensBracket(kind);
    brackets -= ClosesBracket(kind);
    if (brackets < 0 || (brackets == 0 && kind == tok::semi)) break;
    if (kernel_ != nullptr && angles > 0) tokens.push_back(stream_.Keep());
    if (brackets == 0) {
      angles += kind == tok::less;
      angles -= kind == tok::greater;
      angles -= kind == tok::greatergreater ? 2 : 0;
    }
    Advance();
    if (angles > 0 || brackets > 0) continue;
    if (!tokens.empty()) tokens.back().text.pop_back();
    break;
  }
  outer_angles_ = std::max(0, -angles);
  return tokens;
}

UseEnd Matcher::Unresolved(clang::SourceLocation location, std::string detail) {
  result_.doubtful = true;
  facts_.incomplete.push_back({locator_.WrittenAt(location), "registration", std::move(detail)});
  return UseEnd::kIncomplete;
}

// Records, where that is asked for, what became of the tokens.
UseEnd Matcher::ReadUse() {
  const std::size_t strange = stream_.strange();
  TokenRecorder::Use use;
  use.token = RecordedToken();
  use_token_ = use.token;
  const Ended ended = UseSink();
  result_.ran_on = result_.ran_on || stream_.strange() > strange;
  if (context_.recorder == nullptr) return ended.how;
  use.what = ended.what;
  use.text = std::exchange(recorded_text_, {});
  use.end = stream_.AtEnd() ? use.token + 1 : context_.recorder->Last();
  if (use.what == What::kRecord) use.number = static_cast<int>(result_.unknown.size()) - 1;
  context_.recorder->AddUse(std::move(use));
  return ended.how;
}

// At the sentinel: __opledger_sink(NUMBER, "NAME AS WRITTEN", ARGUMENTS)
Ended Matcher::UseSink() {
  Call call;
  call.location = stream_.token().getLocation();
  call.at = stream_.position();
  const std::size_t token = use_token_;
  Advance();
  if (!stream_.Is(tok::l_paren)) return {UseEnd::kOther, What::kNothing};
  std::vector<TextToken> tokens = Group();
  const bool closed = !stream_.AtEnd();
  Advance();
  use_token_ = token;
  recorded_text_.clear();
  if (locator_.IsInOtherHeader(call.location)) return {UseEnd::kOutside};
  std::vector<TokenSpan> arguments = SplitArguments(tokens);
  call.number = context_.sinks.size();
  if (!arguments.empty() && arguments[0].size() == 1) {
    const std::string& text = arguments[0][0].text;
    std::from_chars(text.data(), text.data() + text.size(), call.number);
  }
  if (call.number >= context_.sinks.size() || arguments.size() < 2) {
    return {UseEnd::kOther, What::kNothing};
  }
  call.sink = context_.sinks[call.number];
  if (!closed) {
    return {Unresolved(call.location,
                       "'" + call.sink->macro + "(' is not closed before the file ends")};
  }
  call.spelled = StringValue(arguments[1]).value_or("");
  call.arguments = std::span(arguments).subspan(2);
  return EndCall(call);
}

// At the token behind the arguments.
Ended Matcher::EndCall(const Call& call) {
  if (std::optional<UseEnd> end = NoUse(call)) {
    recorded_text_ = call.sink->macro + "(" + SourceText(call.arguments) + ")";
    return {*end, What::kNothing};
  }
  const Sink& sink = *call.sink;
  if (sink.scope) {
    const bool opens = stream_.Is(tok::l_brace);
    if (!opens) return {UseEnd::kDeclaration};
    recorded_text_ = CanonicalText(call.Argument(sink.scope->receiver));
    return {OpenScopeBlock(call), What::kBlock};
  }
  if (!sink.methods.empty()) {
    NameResult(call, false);
    const Ended made = sink.variable ? EndMade(call) : Ended{};
    const UseEnd methods = RegisterMethods(sink);
    return {methods == UseEnd::kOther ? made.how : methods};
  }
  return Register(call);
}

// Whether the sink was defined anew before the call.
bool Matcher::IsDefinedAnew(const Call& call) {
  auto [known, fresh] = defined_anew_.try_emplace(call.sink);
  if (fresh) known->second = DefinedAnew(*call.sink, context_);
  if (!known->second) return false;
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  const clang::SourceLocation at = sources.getExpansionLoc(call.location);
  return sources.getFileID(at) != sources.getMainFileID() ||
         *known->second <= sources.getFileOffset(at);
}

// How it ends where it is not what registers.
std::optional<UseEnd> Matcher::NoUse(const Call& call) {
  const Sink& sink = *call.sink;
  if (!sink.within.empty() && !IsWithin(sink.within, call.at)) return UseEnd::kOther;
  if (IsDefinedAnew(call)) {
    return Unresolved(call.location, "'" + sink.macro +
                                         "' was undefined and defined anew: what it registers "
                                         "was not followed; give the other one another name");
  }
  if (sink.is_call && sink.form != NameForm::kToken && IsNoString(call.Argument(sink.name))) {
    return UseEnd::kOther;
  }
  if (sink.is_call) {
    const std::vector<TokenSpan> arguments(call.arguments.begin(), call.arguments.end());
    CallForm form = FormOfCall(stream_, call.at, arguments, sink.variable);
    if (stream_.token().isOneOf(tok::period, tok::arrow)) form = CallForm::kCall;
    if (form == CallForm::kDeclaration) return UseEnd::kDeclaration;
    if (form == CallForm::kUnclear) {
      return Unresolved(call.location, "'" + sink.macro + "(" + SourceText(call.arguments) +
                                           ")' may be a call or the declaration of a function; "
                                           "write the name as a string, or a parameter's name");
    }
  }
  switch (receivers_[call.number].FitOf(stream_, call.at)) {
    case ReceiverFit::kFits:
      break;
    case ReceiverFit::kOther:
      return UseEnd::kOther;
    case ReceiverFit::kNone:
      if (IsHandedOn(call)) return UseEnd::kDeclaration;
      return Unresolved(call.location, "'" + sink.macro +
                                           "' is called on no object that is named: whose method "
                                           "it is cannot be told; call it on " +
                                           sink.receivers.front());
    case ReceiverFit::kUnknown:
      return Unresolved(call.location,
                        "whose method '" + sink.macro +
                            "' is cannot be told from what stands before it; call it on " +
                            sink.receivers.front() +
                            ", or name other types in the dialect's "
                            "sinks[].other_receivers");
  }
  if (IsHandedOn(call)) return UseEnd::kDeclaration;
  return std::nullopt;
}

// Whether the name at `at` stands right behind `name<`, but for namespaces and what kind of type it
// is.
bool Matcher::IsWithin(const std::string& name, Index at) {
  Index before = stream_.NameBegin(at) - 1;
  while (stream_.KindAt(before) == tok::kw_class || stream_.KindAt(before) == tok::kw_struct ||
         stream_.KindAt(before) == tok::kw_typename) {
    --before;
  }
  return stream_.KindAt(before) == tok::less && stream_.TextAt(before - 1) == name;
}

// Whether the definition of a sink gives its own parameter to another: it is called elsewhere.
bool Matcher::IsHandedOn(const Call& call) {
  const TokenSpan name = call.Argument(call.sink->name);
  return call.sink->is_call && name.size() == 1 && name[0].kind == tok::identifier &&
         InDefinitionOfSink(call.at);
}

bool Matcher::InDefinitionOfSink(Index at) {
  for (Index open = stream_.EnclosingBrace(at); open != TokenStream::kNone;
       open = stream_.EnclosingBrace(open)) {
    Index i = open - 1;
    while (true) {
      const tok::TokenKind kind = stream_.KindAt(i);
      if (kind == tok::kw_const || kind == tok::kw_noexcept || kind == tok::amp ||
          kind == tok::ampamp || kind == tok::comma || kind == tok::colon ||
          kind == tok::identifier) {
        --i;  // override, members that are initialised
      } else if (kind == tok::r_paren || kind == tok::r_brace) {
        const Index begin = stream_.OpeningOf(i);
        if (begin == TokenStream::kNone) break;
        if (stream_.NameAt(begin - 1) == sentinel_) {
          std::size_t number = context_.sinks.size();
          const std::string text = stream_.TextAt(begin + 1);
          std::from_chars(text.data(), text.data() + text.size(), number);
          return number < context_.sinks.size() && context_.sinks[number]->is_call;
        }
        if (stream_.KindAt(begin - 1) != tok::identifier) break;
        i = begin - 2;
      } else {
        break;
      }
    }
  }
  return false;
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

// What the argument puts before the name; none: that is not known.
std::optional<std::string> Matcher::PrefixSaid(const Sink& sink, TokenSpan argument) {
  std::optional<std::string> text = StringValue(argument);
  if (!text && !argument.empty()) {
    const auto known = context_.dialect.constants.find(argument.back().text);
    if (known != context_.dialect.constants.end()) text = known->second;
  }
  if (text && !text->empty()) *text += sink.prefix_separator;
  return text;
}

UseEnd Matcher::UnknownPrefix(const Call& call) {
  const bool method = !call.sink->prefix_method.empty();
  const std::string said =
      method ? call.sink->prefix_method : CanonicalText(call.Argument(call.sink->prefix_argument));
  return Unresolved(call.location, "what '" + said + "' puts before the name of '" +
                                       call.sink->macro +
                                       "' is not known; say it in the dialect's constants");
}

// Reads the chains of a sink whose prefix a method of them may say. False: it is not known.
bool Matcher::ReadWithPrefix(const Call& call, Registration& registration) {
  ChainPrefix prefix{call.sink, std::string()};
  ChainPrefix* const outer = std::exchange(prefix_, &prefix);
  const bool read = ReadChains(call, registration);
  prefix_ = outer;
  if (!read || !prefix.said) return false;
  registration.name = *prefix.said + registration.name;
  return true;
}

Ended Matcher::Register(const Call& call) {
  const Sink& sink = *call.sink;
  const clang::SourceLocation location = call.location;
  const TokenSpan expanded = call.Argument(sink.name);
  Registration registration;
  const bool without = static_cast<std::size_t>(sink.name) >= call.arguments.size() ||
                       (expanded.empty() && sink.form != NameForm::kToken);
  if (without && sink.expression.empty()) {
    const UseEnd end =
        Unresolved(location, "'" + sink.macro + "' has no argument " + std::to_string(sink.name) +
                                 " here, which is the operator's name");
    Chain(registration);
    return {end};
  }
  const bool said = sink.prefix_argument >= 0 && sink.prefix_method.empty();
  const std::optional<std::string> prefix =
      said ? PrefixSaid(sink, call.Argument(sink.prefix_argument)) : sink.prefix;
  if (!prefix) {
    const UseEnd end = UnknownPrefix(call);
    Chain(registration);
    return {end};
  }
  if (!sink.expression.empty()) {
    const bool all = sink.parameters < 0;  // a type with template arguments, perhaps
    std::span<const TokenSpan> given = call.arguments.subspan(
        std::min(static_cast<std::size_t>(sink.name), call.arguments.size()));
    if (!all && given.size() > 1) given = given.first(1);
    if (!SetExpression(sink, *prefix, SourceText(given), location)) {
      Chain(registration);
      return {UseEnd::kRegistered};
    }
  } else if (sink.form == NameForm::kToken) {
    std::string spelled = call.spelled;
    const std::string meant = CanonicalText(expanded);
    if (meant != spelled && !expanded.empty() && ExpandsName(sink, context_)) spelled = meant;
    registration.name = *prefix + spelled;
    bool name = !spelled.empty() && std::all_of(spelled.begin(), spelled.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
             static_cast<unsigned char>(c) >= 0x80;
    });
    if (!name) {
      return {Unresolved(location, "'" + spelled + "' is not an operator name: the argument of " +
                                       sink.macro + " must be one identifier")};
    }
  } else if (!SetName(expanded, {sink.form, {}, *prefix, sink.prefix_optional}, location,
                      registration)) {
    Chain(registration);
    return {UseEnd::kRegistered};
  }
  // Further uses may stand in the chain.
  std::optional<UnknownName> unknown = std::exchange(unknown_, std::nullopt);
  std::string recorded_text = std::exchange(recorded_text_, {});
  clang::SourceLocation written = expanded.empty() ? location : expanded.front().location;
  registration.site.location = locator_.WrittenAt(written);
  registration.site.call = locator_.CallAt(location, registration.site.macro);
  registration.site.condition = locator_.ConditionAt(location);
  registration.site.condition = registration.site.condition.And(ConditionOf(expanded));
  if (sink.prefix_optional && !unknown && !prefix->empty()) {
    const std::string bare = registration.name.substr(prefix->size());
    registration.aliases.push_back({bare, registration.site.location, registration.site.condition});
  }
  if (sink.version >= 0 && !Version(call, registration)) {
    return {Unresolved(location, "the version of '" + registration.name + "' is not a number")};
  }
  if (!sink.prefix_method.empty()) {
    if (!ReadWithPrefix(call, registration)) return {UnknownPrefix(call)};
  } else if (!ReadChains(call, registration)) {
    return {UseEnd::kIncomplete};
  }
  if (!sink.table.empty()) {
    registration.adds = true;
    FieldFact& entry = registration.fields.emplace_back();
    entry.field = kTableKey;
    entry.value.value = KernelKey(call.arguments, sink.table);
    entry.value.condition = registration.site.condition;
  }
  if (registration.site.condition.IsNever()) return {UseEnd::kNever};
  const What what = unknown ? What::kRecord : What::kKnown;
  NameResult(call, unknown.has_value());
  unknown_ = std::move(unknown);
  recorded_text_ = std::move(recorded_text);
  FinishRegistration(std::move(registration));
  return {UseEnd::kRegistered, what};
}

// The chain in an argument, if any, and the one that follows the call; of a kernel, what else the
// call says of it. False: it is nothing that registers.
bool Matcher::ReadChains(const Call& call, Registration& registration) {
  if (call.sink->kernel) return ReadKernel(call, registration);
  if (call.sink->chain >= 0) ChainIn(call.Argument(call.sink->chain), registration);
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
bool Matcher::SetExpression(const Sink& sink, const std::string& prefix,
                            const std::string& argument, clang::SourceLocation location) {
  std::string expression = sink.expression;
  const std::size_t place = expression.find("{}");
  if (place != std::string::npos) expression.replace(place, 2, argument);
  Dynamic dynamic{locator_.WrittenAt(location), expression, {}};
  if (context_.recorder == nullptr) {
    facts_.dynamic.push_back(std::move(dynamic));
    return false;
  }
  recorded_text_ = expression;
  unknown_ =
      UnknownName{{}, {NameForm::kString, {}, prefix, sink.prefix_optional}, std::move(dynamic)};
  return true;
}

// Whether a call stood here whose arguments the preprocessor took away: they are too few, or the
// file ends before the ')'.
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

// An identifier that should have been expanded: a macro known to register, or what follows a chain
// that no ';' ends.
void Matcher::ReportUnexpanded(bool in_chain) {
  clang::SourceLocation location = stream_.token().getLocation();
  std::string name = stream_.Spelling(stream_.token());
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
                             "(' has another number of arguments than its definition, or "
                             "is not closed before the file ends");
  } else if (handed_on) {
    Unresolved(location, "'" + name +
                             "' is given to a macro or function that is not known: its "
                             "definition was not found; add its folder to "
                             "include_directories");
  }
}

// At the name of a method of the class, called on what was not followed: a parameter, a member.
void Matcher::ReportMethod(const Sink& sink) {
  const tok::TokenKind before = stream_.KindAt(stream_.position() - 1);
  const bool method = before == tok::period || before == tok::arrow;
  const bool given =
      stream_.LookAhead(0).is(tok::l_paren) && !stream_.LookAhead(1).is(tok::r_paren);
  const clang::SourceLocation location = stream_.token().getLocation();
  if (!method || !given || locator_.IsInOtherHeader(location)) return;
  // The class's own methods hand on what they are given: std::move(*this).op(options)
  const Index object = stream_.position() - 2;
  const bool own =
      stream_.KindAt(object) == tok::kw_this ||
      (stream_.KindAt(object) == tok::r_paren && stream_.KindAt(object - 1) == tok::kw_this);
  if (own && !stream_.LookAhead(1).is(tok::string_literal)) return;
  Unresolved(location, "whether '" + stream_.Spelling(stream_.token()) + "(' registers on a '" +
                           sink.macro + "' cannot be told; call it on " + sink.macro +
                           "() or a variable of it in the same function");
}

// Chains.

bool Matcher::Version(const Call& call, Registration& registration) {
  const TokenSpan version = call.Argument(call.sink->version);
  if (version.size() != 1) return false;
  const std::string& number = version[0].text;
  auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), registration.version);
  return error == std::errc() && end == number.data() + number.size();
}

void Matcher::Chain(Registration& registration) {
  while (stream_.token().isOneOf(tok::period, tok::arrow)) {
    Advance();
    if (stream_.Is(tok::kw_template)) Advance();
    if (!stream_.Is(tok::identifier)) break;
    if (IsCurrent(sentinel_)) return;  // lib.def("a").def("b"): a use of its own
    std::string name = stream_.Spelling(stream_.token());
    clang::SourceLocation location = stream_.token().getLocation();
    Advance();
    std::vector<TextToken> templates;
    if (stream_.Is(tok::less)) templates = TemplateArguments();
    if (!stream_.Is(tok::l_paren)) continue;  // a member
    std::vector<TextToken> tokens = Group();
    if (stream_.AtEnd()) {
      Unresolved(location, "'" + name + "(' is not closed before the file ends");
    }
    Advance();
    Method(name, SplitArguments(templates), SplitArguments(tokens), location, registration);
  }
  if (stream_.Is(tok::identifier) && !IsCurrent(sentinel_)) ReportUnexpanded(true);
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

void Matcher::Method(const std::string& name, const std::vector<TokenSpan>& templates,
                     const std::vector<TokenSpan>& arguments, clang::SourceLocation location,
                     Registration& registration) {
  if (prefix_ != nullptr && prefix_->sink->prefix_method == name) {
    prefix_->said =
        PrefixSaid(*prefix_->sink, ArgumentAt(arguments, prefix_->sink->prefix_argument));
  }
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

// Names of sinks without arguments right behind them.

// At the name of a sink that was not expanded, or of an alias of one.
UseEnd Matcher::ReadBare(const Interest& interest) {
  Call use;
  use.sink = interest.sink;
  use.number = interest.number;
  use.at = stream_.position();
  use.location = stream_.token().getLocation();
  const Sink& sink = *use.sink;
  const std::size_t token = RecordedToken();
  const bool swallowed = interest.macro && Swallowed();
  const bool declares = DeclaresType(use.at);
  const std::string name = stream_.Spelling(stream_.token());
  Advance();
  use_token_ = token;
  if (locator_.IsInOtherHeader(use.location)) return UseEnd::kOutside;
  if (swallowed) {
    return Unresolved(use.location, "'" + name +
                                        "(' has too few arguments, or is not closed "
                                        "before the file ends");
  }
  const tok::TokenKind asked = stream_.KindAt(stream_.Enclosing(use.at) - 1);
  if (asked == tok::kw_decltype || asked == tok::kw_sizeof) return UseEnd::kOther;
  if (!sink.is_call && !sink.variable) {
    return Unresolved(use.location, "'" + name +
                                        "' stands without arguments: what is made of it "
                                        "was not followed");
  }
  const Index begin = stream_.NameBegin(use.at);
  Index before = begin - 1;
  if (stream_.KindAt(before) == tok::coloncolon) --before;
  const clang::IdentifierInfo* alias = AliasOf(begin);
  if (alias != nullptr && !stream_.token().isOneOf(tok::coloncolon, tok::less)) {
    const bool array = stream_.Is(tok::l_square);
    return NameAlias(use, alias, array ? Holder::kContainer : interest.holder);
  }
  const bool inherits = stream_.KindAt(before) == tok::kw_using && stream_.Is(tok::coloncolon) &&
                        stream_.LookAhead(0).getIdentifierInfo() == stream_.NameAt(use.at);
  if (inherits) {
    std::erase_if(derived_, [&](const Derived& one) { return one.name == ClassAround(use.at); });
    return NameAlias(use, ClassAround(use.at));
  }
  if (declares || stream_.Is(tok::coloncolon)) {
    return declares ? UseEnd::kDeclaration : UseEnd::kOther;
  }
  outer_angles_ = 0;
  if (stream_.Is(tok::less)) TemplateArguments();
  if (outer_angles_ == 0 && alias != nullptr) return NameAlias(use, alias, interest.holder);
  const bool outermost = outer_angles_ == 0 && stream_.EnclosingAngle(use.at) == TokenStream::kNone;
  const bool typedefs = stream_.KindAt(stream_.StatementBegin(use.at)) == tok::kw_typedef ||
                        stream_.Is(tok::kw_typedef);
  if (typedefs && outermost) return ReadTypedef(use);
  if (interest.holder != Holder::kNone && outermost) {
    return ReadContainer(use, interest.holder == Holder::kContainer, false);
  }
  if (sink.variable) return ReadType(use);
  if (stream_.Is(tok::l_paren)) return Made(use, {}, token);
  if (std::optional<UseEnd> own = NamesAnother(use)) return *own;
  const ReceiverFit fit = receivers_[use.number].FitOf(stream_, use.at);
  if (fit == ReceiverFit::kOther) return UseEnd::kOther;
  return Unresolved(use.location, "'" + name +
                                      "' is named but not called: what is called through "
                                      "it was not followed; call it by its name");
}

// Where a variable, member or enumerator has the name of a function that registers.
std::optional<UseEnd> Matcher::NamesAnother(const Call& use) {
  const clang::IdentifierInfo* name = stream_.NameAt(use.at);
  const tok::TokenKind before = stream_.KindAt(use.at - 1);
  if (before == tok::period || before == tok::arrow) {
    const bool called = stream_.Is(tok::r_paren) && stream_.LookAhead(0).is(tok::l_paren);
    return called ? std::nullopt : std::optional(UseEnd::kOther);
  }
  if (before == tok::coloncolon) {
    const bool enumerator = enums_.contains(stream_.NameAt(use.at - 2));
    return enumerator ? std::optional(UseEnd::kOther) : std::nullopt;
  }
  Variable hidden;
  hidden.depth = stream_.braces();
  const Index brace = stream_.EnclosingBrace(use.at);
  if (before == tok::l_brace || before == tok::comma) {
    bool enumerates = false;
    for (Index i = stream_.StatementBegin(brace); brace != TokenStream::kNone && i < brace; ++i) {
      const tok::TokenKind kind = stream_.KindAt(i);
      enumerates = enumerates || kind == tok::kw_enum;
      if (kind == tok::colon || !enumerates || kind != tok::identifier) continue;
      enums_.insert(stream_.NameAt(i));
      break;
    }
    if (!enumerates) return std::nullopt;
    --hidden.depth;
    AddVariable(name, std::move(hidden));
    return UseEnd::kDeclaration;
  }
  Index type = use.at - 1;
  while (IsReference(stream_.KindAt(type))) --type;
  const tok::TokenKind kind = stream_.KindAt(type);
  const bool typed = kind == tok::identifier || kind == tok::greater || IsTypeWord(kind);
  const bool ends = stream_.token().isOneOf(tok::semi, tok::equal, tok::comma, tok::l_square,
                                            tok::colon, tok::r_paren);
  if (!typed || !ends) return std::nullopt;
  if (stream_.brackets() > 0) {
    AddParameter(name, std::move(hidden), stream_.brackets() - 1);
  } else {
    AddVariable(name, std::move(hidden));
  }
  return UseEnd::kDeclaration;
}

// The Name of "using Name = const ns::Type", at the type's first token; null: there is none.
const clang::IdentifierInfo* Matcher::AliasOf(Index at) {
  Index before = at - 1;
  while (IsDeclarationWord(stream_.KindAt(before)) ||
         (stream_.KindAt(before) == tok::coloncolon && stream_.KindAt(before - 1) == tok::equal) ||
         stream_.KindAt(before) == tok::kw_typename || stream_.KindAt(before) == tok::kw_class ||
         stream_.KindAt(before) == tok::kw_struct) {
    --before;
  }
  if (stream_.KindAt(before) != tok::equal) return nullptr;
  --before;
  while (stream_.KindAt(before) == tok::r_square || stream_.KindAt(before) == tok::r_paren) {
    before = stream_.OpeningOf(before) - 1;  // [[attribute]], __attribute__((...))
    if (stream_.KindAt(before) == tok::kw___attribute) --before;
  }
  const bool names = stream_.KindAt(before - 1) == tok::kw_using;
  return names ? stream_.NameAt(before) : nullptr;
}

// typedef Type A, *B, C[2]; Type typedef A; at the token behind the type.
UseEnd Matcher::ReadTypedef(const Call& use) {
  UseEnd end = UseEnd::kDeclaration;
  bool pointer = false;
  while (!stream_.token().isOneOf(tok::semi, tok::l_brace, tok::eof)) {
    if (SkipAttribute()) continue;
    pointer = (pointer || IsReference(stream_.token().getKind())) && !stream_.Is(tok::comma);
    const bool name =
        stream_.Is(tok::identifier) &&
        stream_.LookAhead(0).isOneOf(tok::semi, tok::comma, tok::l_square, tok::kw___attribute);
    if (name && !pointer) {
      const bool attribute =
          stream_.LookAhead(0).is(tok::l_square) && stream_.LookAhead(1).is(tok::l_square);
      const bool array = stream_.LookAhead(0).is(tok::l_square) && !attribute;
      const UseEnd one = NameAlias(use, stream_.token().getIdentifierInfo(),
                                   array ? Holder::kContainer : Holder::kNone);
      if (one == UseEnd::kIncomplete) end = one;
    }
    if (stream_.Is(tok::l_paren)) Group();
    Advance();
  }
  return end;
}

// [[...]], __attribute__((...)), alignas(...): behind it.
bool Matcher::SkipAttribute() {
  const bool square = stream_.Is(tok::l_square) && stream_.LookAhead(0).is(tok::l_square);
  const bool word = stream_.token().isOneOf(tok::kw___attribute, tok::kw_alignas);
  if (!square && !word) return false;
  if (word) Advance();
  Group();
  Advance();
  return true;
}

// The class whose definition holds the token; null: none does.
const clang::IdentifierInfo* Matcher::ClassAround(Index at) {
  const Index brace = stream_.EnclosingBrace(at);
  for (Index i = stream_.StatementBegin(brace); brace != TokenStream::kNone && i < brace; ++i) {
    const tok::TokenKind kind = stream_.KindAt(i);
    if (kind != tok::kw_class && kind != tok::kw_struct) continue;
    if (stream_.KindAt(i + 1) == tok::identifier) return stream_.NameAt(i + 1);
  }
  return nullptr;
}

// Of a parameter that is no reference to a variable: what a call gives may make an object of it.
UseEnd Matcher::TakesObjects(const Call& use, bool variable) {
  const bool ends = stream_.token().isOneOf(tok::comma, tok::r_paren);
  const Index open = stream_.Enclosing(stream_.position());
  const tok::TokenKind before = stream_.KindAt(open - 1);
  const bool function = open != TokenStream::kNone && stream_.KindAt(open) == tok::l_paren &&
                        (before == tok::identifier || before == tok::r_square);
  if (variable || !ends || !function) return UseEnd::kOther;
  // Its own: copies, comparisons.
  const clang::IdentifierInfo* around = ClassAround(use.at);
  const bool own = (around != nullptr && around->getName() == use.sink->macro) ||
                   stream_.TextAt(open - 1) == use.sink->macro;
  if (own) return UseEnd::kOther;
  return Unresolved(use.location, "what is given to a function that takes '" + use.sink->macro +
                                      "' was not followed; let it take a reference that is not "
                                      "const, or write " +
                                      use.sink->macro + "(...) in the call");
}

// Whether the name at `at` only tells of the class or function: class Name, using ns::Name.
bool Matcher::DeclaresType(Index at) {
  Index before = stream_.NameBegin(at) - 1;
  if (stream_.KindAt(before) == tok::coloncolon) --before;
  switch (stream_.KindAt(before)) {
    case tok::kw_class:
    case tok::kw_struct:
    case tok::kw_union: {
      const clang::Token& next = stream_.LookAhead(0);
      return !next.is(tok::identifier) || next.getIdentifierInfo()->getName() == "final";
    }
    case tok::identifier:  // class EXPORT Name
      return stream_.KindAt(before - 1) == tok::kw_class ||
             stream_.KindAt(before - 1) == tok::kw_struct;
    case tok::kw_using:
    case tok::kw_namespace:
    case tok::kw_friend:
    case tok::kw_enum:
    case tok::kw_operator:
    case tok::tilde:
    case tok::kw_extern:
      return true;
    default:
      return false;
  }
}

// At the token behind the name, and its template arguments, of a class that registers.
UseEnd Matcher::ReadType(const Call& use) {
  if (outer_angles_ > 0) return ReadTemplateArgument(use);
  const std::size_t token = use_token_;
  switch (stream_.token().getKind()) {
    case tok::l_paren:
      return Made(use, {}, token);
    case tok::l_brace: {
      const Index before = stream_.NameBegin(use.at) - 1;
      const bool qualified = stream_.KindAt(before) == tok::coloncolon;
      if (stream_.KindAt(before - qualified) == tok::arrow) {
        returning_.push_back({use.sink, use.number, stream_.position(), stream_.braces() + 1});
        return UseEnd::kOther;
      }
      if (!InHeadOfClass(stream_, use.at)) return Made(use, {}, token);
      AddDerived(use);
      return UseEnd::kOther;
    }
    case tok::comma:
      if (InHeadOfClass(stream_, use.at)) AddDerived(use);
      return ReadParameterList(use);
    case tok::r_paren:
      return ReadCast(use);
    case tok::kw___attribute:
    case tok::kw_alignas:
      SkipAttribute();
      return ReadType(use);
    case tok::kw_const:
    case tok::kw_volatile:
    case tok::kw_static:
    case tok::kw_inline:
    case tok::kw_constexpr:
    case tok::kw_constinit:
    case tok::kw_thread_local:
      Advance();
      return ReadType(use);
    case tok::identifier:
      return ReadDeclarators(use);
    case tok::l_square: {  // new Type[2]{...}
      if (SkipAttribute()) return ReadType(use);
      Group();
      Advance();
      if (!stream_.Is(tok::l_brace)) return Nameless(use);
      const std::vector<TextToken> elements = Group();
      Advance();
      use_token_ = token;
      return ReadElements(use, elements, true);
    }
    case tok::amp:
    case tok::ampamp: {  // Type&& name{"x"}, const Type& name = {"x"}
      const clang::Token& name = stream_.LookAhead(0);
      const bool list = stream_.LookAhead(1).is(tok::l_brace) ||
                        (stream_.LookAhead(1).is(tok::equal) &&
                         stream_.LookAhead(2).isOneOf(tok::l_brace, tok::string_literal));
      if (!name.is(tok::identifier) || !list) return ReadParameterList(use);
      Advance();
      return ReadDeclarators(use);
    }
    case tok::greater:
    case tok::greatergreater:
      return ReadTemplateArgument(use);
    default:
      return stream_.KindAt(stream_.NameBegin(use.at) - 1) == tok::kw_new ? Nameless(use)
                                                                          : UseEnd::kOther;
  }
}

// Behind the class where what stands there gives it no name: its constructor may have one.
UseEnd Matcher::Nameless(const Call& use) {
  if (!use.sink->methods.empty()) return UseEnd::kOther;
  return Unresolved(use.location, "an object of class '" + use.sink->macro +
                                      "' is given no name here: what its constructor registers "
                                      "was not followed; give it the name");
}

// At the ')' behind the class: (Type)"x", or a parameter without a name.
UseEnd Matcher::ReadCast(const Call& use) {
  const Index open = stream_.Enclosing(use.at);
  const tok::TokenKind before = stream_.KindAt(open - 1);
  const bool function = before == tok::identifier || before == tok::greater ||
                        before == tok::r_square || before == tok::kw_operator ||
                        ClosesBracket(before);
  const clang::Token& operand = stream_.LookAhead(0);
  if (before == tok::kw_noexcept || before == tok::kw_alignof) return UseEnd::kOther;
  const bool value = operand.isOneOf(tok::string_literal, tok::l_brace, tok::l_paren) ||
                     operand.is(tok::identifier);
  if (function && !operand.is(tok::string_literal)) return ReadParameterList(use);
  if (!value || stream_.KindAt(open) != tok::l_paren) return UseEnd::kOther;
  const std::size_t token = use_token_;
  Advance();
  const std::vector<TextToken> tokens = Expression();
  use_token_ = token;
  return IsMade(tokens) ? UseEnd::kOther : Made(use, tokens, token);
}

// In what may be a list of parameters: const Type&, Type&&, Type; or in one of template arguments.
UseEnd Matcher::ReadParameterList(const Call& use) {
  const Index angle = stream_.EnclosingAngle(use.at);
  const Index open = stream_.Enclosing(use.at);
  if (angle != TokenStream::kNone && angle > open) {
    if (stream_.KindAt(angle - 1) != tok::kw_static_cast) {
      return stream_.Is(tok::comma) ? ReadTemplateArgument(use) : UseEnd::kOther;
    }
    Advance();
    return stream_.Is(tok::greater) ? ReadTemplateArgument(use) : UseEnd::kOther;
  }
  bool constant = false;
  for (Index i = use.at - 1; i > open; --i) {
    if (stream_.KindAt(i) == tok::comma) break;
    constant = constant || stream_.KindAt(i) == tok::kw_const;
  }
  const bool variable = stream_.Is(tok::amp) && !constant;
  if (stream_.token().isOneOf(tok::amp, tok::ampamp)) {
    if (stream_.LookAhead(0).is(tok::identifier)) {
      if (!stream_.LookAhead(1).isOneOf(tok::comma, tok::r_paren)) return UseEnd::kOther;
      Advance();
    } else if (!stream_.LookAhead(0).isOneOf(tok::comma, tok::r_paren)) {
      return UseEnd::kOther;
    }
    Advance();
  }
  return TakesObjects(use, variable);
}

// struct Name : Type {
void Matcher::AddDerived(const Call& use) {
  Derived derived{use.sink, nullptr, use.location, stream_.braces()};
  for (Index i = stream_.StatementBegin(use.at); i < use.at; ++i) {
    const tok::TokenKind kind = stream_.KindAt(i);
    if (kind == tok::colon) break;
    if (kind == tok::identifier && stream_.TextAt(i) != "final") derived.name = stream_.NameAt(i);
  }
  if (use.sink->methods.empty()) derived_.push_back(derived);
}

// Constructors of derived classes say what their base is given; where there is none, it is said
// elsewhere.
void Matcher::TrackDerived() {
  const clang::IdentifierInfo* identifier = stream_.token().getIdentifierInfo();
  for (std::size_t i = 0; i < derived_.size();) {
    const Derived& one = derived_[i];
    const bool constructor = identifier != nullptr && identifier == one.name &&
                             stream_.braces() == one.depth + 1 &&
                             stream_.LookAhead(0).is(tok::l_paren);
    const bool ended = stream_.braces() == one.depth && stream_.Is(tok::semi);
    if (!constructor && !ended) {
      ++i;
      continue;
    }
    if (ended) {
      Unresolved(one.location, "what objects of '" +
                                   (one.name == nullptr ? "a class" : one.name->getName().str()) +
                                   "' give their base class '" + one.sink->macro +
                                   "' was not followed; let a constructor say it");
    }
    derived_.erase(derived_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// At "return" in the body of a function that returns an object of the class: {"x"}, "x".
bool Matcher::ReadReturn() {
  while (!returning_.empty() && returning_.back().depth > stream_.braces()) returning_.pop_back();
  if (returning_.empty()) return false;
  const Returning from = returning_.back();
  for (Index open = stream_.EnclosingBrace(stream_.position()); open != from.body;
       open = stream_.EnclosingBrace(open)) {
    const tok::TokenKind before = stream_.KindAt(open - 1);
    const Index parameters = before == tok::r_paren ? stream_.OpeningOf(open - 1) : open;
    if (open < from.body || stream_.KindAt(parameters - 1) == tok::r_square) return false;
  }
  if (!stream_.LookAhead(0).isOneOf(tok::l_brace, tok::string_literal, tok::identifier)) {
    return false;
  }
  Call use;
  use.sink = from.sink;
  use.number = from.number;
  use.at = stream_.position();
  use.location = stream_.token().getLocation();
  const std::size_t token = RecordedToken();
  Advance();
  const clang::IdentifierInfo* object = stream_.token().getIdentifierInfo();
  const bool plain = object != nullptr && stream_.LookAhead(0).is(tok::semi);
  if (plain) {
    const auto known = interests_.find(object);
    if (known != interests_.end() && !known->second.variables.empty()) return true;
  }
  const std::vector<TextToken> tokens = Expression();
  const TokenSpan inner = Inside(tokens);
  use_token_ = token;
  if (locator_.IsInOtherHeader(use.location)) return true;
  if (!inner.empty() || NameOf(tokens) || plain) {
    Made(use, inner.empty() ? TokenSpan(tokens) : inner, token);
  }
  return true;
}

// Registers what the class or function is given: in the bracket that opens here where no
// `arguments` are, else those; then its chain.
UseEnd Matcher::Made(Call call, TokenSpan arguments, std::size_t token) {
  std::vector<TextToken> tokens;
  if (arguments.data() == nullptr) {
    const bool call_form = stream_.Is(tok::l_paren);
    tokens = Group();
    if (stream_.AtEnd()) {
      return Unresolved(call.location, "what '" + call.sink->macro +
                                           "' is given is not closed before the file ends");
    }
    Advance();
    arguments = tokens;
    if (call_form) {
      const std::vector<TokenSpan> given = SplitArguments(arguments);
      call.arguments = given;
      if (std::optional<UseEnd> end = NoUse(call)) return *end;
    }
  }
  std::vector<TokenSpan> given = SplitArguments(arguments);
  if (given.size() == 1 && given[0].size() > 2 && call.sink->methods.empty()) {
    if (TokenSpan inner = Inside(given[0]); !inner.empty()) given = SplitArguments(inner);
  }
  call.arguments = given;
  if (call.sink->form == NameForm::kToken) {
    call.spelled = CanonicalText(call.Argument(call.sink->name));
  }
  if (given.empty() && call.sink->methods.empty()) return Nameless(call);
  if (given.empty() || IsMade(call.Argument(call.sink->name))) {
    return call.sink->methods.empty() ? UseEnd::kOther : RegisterMethods(*call.sink);
  }
  use_token_ = token;
  recorded_text_.clear();
  const bool methods = !call.sink->methods.empty();
  if (methods) {
    const Ended made = EndMade(call);
    const UseEnd end = RegisterMethods(*call.sink);
    return end == UseEnd::kOther ? made.how : end;
  }
  const Ended ended = Register(call);
  if (context_.recorder == nullptr || ended.how != UseEnd::kRegistered) return ended.how;
  TokenRecorder::Use recorded{token, 0, ended.what, std::exchange(recorded_text_, {}), -1};
  if (ended.what == What::kRecord) recorded.number = static_cast<int>(result_.unknown.size()) - 1;
  context_.recorder->AddUse(std::move(recorded));
  return ended.how;
}

// Type a("x"), b{"y"}, c[] = {{"z"}}, d = "w"; at the first name.
UseEnd Matcher::ReadDeclarators(const Call& use) {
  const std::size_t token = use_token_;
  UseEnd end = UseEnd::kOther;
  while (stream_.Is(tok::identifier)) {
    const clang::IdentifierInfo* name = stream_.token().getIdentifierInfo();
    if (name->getName() == "final") return UseEnd::kDeclaration;
    if (stream_.LookAhead(0).is(tok::identifier)) {  // UNUSED name
      Advance();
      continue;
    }
    const Index at = stream_.position();
    Advance();
    bool qualified = false;
    while (stream_.token().isOneOf(tok::coloncolon, tok::less)) {  // Class<T>::name
      qualified = true;
      stream_.Is(tok::less) ? static_cast<void>(TemplateArguments()) : Advance();
      if (!stream_.Is(tok::identifier)) continue;
      name = stream_.token().getIdentifierInfo();
      Advance();
    }
    bool array = false;
    while (stream_.token().isOneOf(tok::l_square, tok::kw___attribute, tok::kw_alignas)) {
      if (!stream_.Is(tok::l_square)) Advance();
      array = array || (stream_.Is(tok::l_square) && !stream_.LookAhead(0).is(tok::l_square));
      Group();
      Advance();
    }
    std::vector<TextToken> tokens;
    bool given = true;
    if (stream_.Is(tok::l_paren)) {
      tokens = Group();
      Advance();
      const ArgumentForm form = FormOf(SplitArguments(tokens));
      if (tokens.empty() || form == ArgumentForm::kParameters) return EndFunction(use);
    } else if (stream_.Is(tok::l_brace)) {
      tokens = Group();
      Advance();
      if (tokens.empty()) return Nameless(use);
    } else if (stream_.Is(tok::colon) && stream_.brackets() > 0) {  // for (Type name : {"x", "y"})
      Advance();
      tokens = Expression();
      use_token_ = token;
      const TokenSpan elements = Inside(tokens);
      return elements.empty() ? UseEnd::kOther : ReadElements(use, elements, true);
    } else if (stream_.Is(tok::equal)) {
      Advance();
      tokens = Expression();
      const TokenSpan inner = Inside(tokens);
      if (inner.empty()) {  // a copy, unless it is made of a string
        given = NameOf(tokens).has_value();
      } else {
        tokens = std::vector<TextToken>(inner.begin(), inner.end());
      }
    } else {
      given = false;
      end = TakesObjects(use, false);
      const Index brace = stream_.EnclosingBrace(use.at);
      bool declared = false;  // defined elsewhere
      bool fixed = false;     // static, as is its definition elsewhere where it is in a class
      for (Index i = stream_.StatementBegin(use.at); i < at; ++i) {
        declared = declared || stream_.KindAt(i) == tok::kw_extern;
        fixed =
            (fixed || stream_.KindAt(i) == tok::kw_static) && stream_.KindAt(i) != tok::kw_inline;
      }
      const bool ends = stream_.token().isOneOf(tok::semi, tok::comma) && stream_.brackets() == 0;
      const bool in_class = ends && InHeadOfClass(stream_, brace);
      const Index first = stream_.StatementBegin(use.at);
      const bool instantiates =
          stream_.KindAt(first) == tok::kw_template && stream_.KindAt(first + 1) != tok::less;
      declared = declared || instantiates || (in_class && fixed);
      if (ends && !declared && !in_class) end = Nameless(use);
      if (in_class && !declared && use.sink->methods.empty()) {
        end = Unresolved(use.location, "the member '" + name->getName().str() + "' of class '" +
                                           use.sink->macro +
                                           "' gets its name elsewhere, which was not followed; "
                                           "initialise it where it is declared");
      }
    }
    if (end == UseEnd::kIncomplete && !given) return end;
    if (qualified) name = nullptr;
    Variable variable;
    variable.kind = array ? Variable::Kind::kContainer : Variable::Kind::kObject;
    variable.depth = stream_.braces();
    variable.sink = use.sink;
    AddVariable(name, std::move(variable));
    if (given && array) end = ReadElements(use, tokens, true);
    if (given && !array && !tokens.empty()) {
      Call one = use;
      one.at = at;
      use_token_ = token;
      end = Made(one, tokens, token);
    }
    // Another one of the same type, where this is no list of parameters.
    const bool more = stream_.Is(tok::comma) && stream_.LookAhead(0).is(tok::identifier) &&
                      stream_.LookAhead(1).isOneOf(tok::l_paren, tok::l_brace, tok::l_square,
                                                   tok::equal, tok::comma, tok::semi);
    if (!more) break;
    Advance();
  }
  return end;
}

// Behind the parameters of a function that returns an object of the class.
UseEnd Matcher::EndFunction(const Call& use) {
  while (stream_.token().isOneOf(tok::kw_const, tok::kw_noexcept, tok::amp, tok::ampamp) ||
         stream_.Is(tok::identifier)) {
    Advance();
  }
  if (stream_.Is(tok::l_brace)) {
    returning_.push_back({use.sink, use.number, stream_.position(), stream_.braces() + 1});
  }
  return UseEnd::kDeclaration;
}

// What the braces of an array or container hold: "x", {"y", f}, Type("z").
UseEnd Matcher::ReadElements(const Call& use, TokenSpan tokens, bool exact) {
  const std::size_t token = use_token_;
  UseEnd end = UseEnd::kOther;
  const std::vector<TokenSpan> elements = SplitArguments(tokens);
  // array<Type, 2> a{{{"x"}, {"y"}}};
  if (const TokenSpan all = elements.size() == 1 ? Inside(elements[0]) : TokenSpan();
      exact && !all.empty() && all.front().kind == tok::l_brace) {
    return ReadElements(use, all, exact);
  }
  for (TokenSpan element : elements) {
    if (element.empty()) continue;
    const TokenSpan inner = Inside(element);
    const bool string = NameOf(element).has_value();
    if (IsMade(inner.empty() ? element : SplitArguments(inner).front())) continue;
    if (exact && (string || !inner.empty())) {
      end = Made(use, inner.empty() ? element : inner, token);
    } else if (exact || HoldsString(element)) {
      end = Unresolved(use.location, "an element '" + CanonicalText(element) + "' of what holds '" +
                                         use.sink->macro + "' was not followed; write " +
                                         use.sink->macro + "(...)");
    }
  }
  return end;
}

// At the token behind the class's name: make_unique<Type>("x"), vector<Type> v{{"y"}}.
UseEnd Matcher::ReadTemplateArgument(const Call& use) {
  int angles = 0;
  Index angle = use.at;
  Index outer = TokenStream::kNone;
  for (Index next = stream_.EnclosingAngle(angle); next != TokenStream::kNone;
       next = stream_.EnclosingAngle(next)) {
    const tok::TokenKind named = stream_.KindAt(next - 1);
    if (named != tok::identifier && named != tok::kw_static_cast) break;
    angle = outer = next;
    ++angles;
  }
  if (outer == TokenStream::kNone) return UseEnd::kOther;
  const std::string name = stream_.TextAt(outer - 1);
  const Index begin = stream_.NameBegin(outer - 1);
  const clang::IdentifierInfo* alias = AliasOf(begin);
  const bool typedefs = stream_.KindAt(stream_.StatementBegin(outer)) == tok::kw_typedef;
  angles -= outer_angles_;
  while (angles > 0 && !stream_.token().isOneOf(tok::eof, tok::semi, tok::l_brace)) {
    angles += stream_.Is(tok::less);
    angles -= stream_.Is(tok::greater);
    angles -= stream_.Is(tok::greatergreater) ? 2 : 0;
    if (OpensBracket(stream_.token().getKind())) Group();
    Advance();
  }
  const bool direct = outer == stream_.EnclosingAngle(use.at);
  const bool head = stream_.KindAt(begin - 1) == tok::arrow || InHeadOfClass(stream_, use.at);
  if (angles != 0 || head) return UseEnd::kOther;
  const bool cast = stream_.KindAt(outer - 1) == tok::kw_static_cast;
  const std::size_t token = use_token_;
  if (stream_.Is(tok::l_paren) && direct && (cast || IsMaker(name))) return Made(use, {}, token);
  if (stream_.Is(tok::coloncolon) && stream_.LookAhead(0).is(tok::identifier) &&
      stream_.LookAhead(0).getIdentifierInfo()->getName() == "type") {
    Advance();
    Advance();
  }
  const bool exact = direct && IsContainer(name);
  const bool pointer = name.ends_with("_ptr") || name == "function" || name == "reference_wrapper";
  const Holder holder = exact ? Holder::kContainer : Holder::kUnknown;
  if (typedefs && stream_.Is(tok::identifier)) alias = stream_.token().getIdentifierInfo();
  if (alias != nullptr && !pointer) return NameAlias(use, alias, holder);
  if (alias != nullptr || typedefs) return UseEnd::kOther;
  use_token_ = token;
  if (!MakesNothing(name) && use.sink->methods.empty() && !cast) {
    const bool made = stream_.Is(tok::l_paren) && stream_.LookAhead(0).is(tok::r_paren);
    const bool variable = stream_.Is(tok::identifier) && stream_.brackets() == 0 &&
                          stream_.LookAhead(0).isOneOf(tok::semi, tok::comma);
    if (made || variable) {
      Advance();
      return Unresolved(use.location, "what '" + name + "' makes of class '" + use.sink->macro +
                                          "' was not followed; write " + use.sink->macro + "(...)");
    }
  }
  return ReadContainer(use, exact, name == "optional");
}

// At the token behind the container's '>'.
UseEnd Matcher::ReadContainer(const Call& use, bool exact, bool optional) {
  const std::size_t token = use_token_;
  const int level = stream_.brackets();
  bool parameter = false;
  const Index type = stream_.StatementBegin(use.at);
  bool constant = false;
  for (Index i = use.at - 1; i >= type && !stream_.AtEnd(); --i) {
    if (stream_.KindAt(i) == tok::comma || OpensBracket(stream_.KindAt(i))) break;
    constant = constant || stream_.KindAt(i) == tok::kw_const;
  }
  while (stream_.token().isOneOf(tok::amp, tok::ampamp, tok::star, tok::kw_const)) {
    parameter = true;
    Advance();
  }
  if (stream_.Is(tok::identifier)) {
    Variable variable;
    variable.kind = Variable::Kind::kContainer;
    variable.depth = stream_.braces();
    variable.sink = use.sink;
    variable.exact = exact;
    const clang::IdentifierInfo* name = stream_.token().getIdentifierInfo();
    const clang::Token& next = stream_.LookAhead(0);
    const bool in_parameters = parameter && next.isOneOf(tok::comma, tok::r_paren) && level > 0;
    Advance();
    if (in_parameters) {
      AddParameter(name, std::move(variable), level - 1);
      return TakesObjects(use, !constant);
    }
    const UseEnd taken = TakesObjects(use, false);
    if (taken == UseEnd::kIncomplete) return taken;
    variable.member = stream_.brackets() == 0 && ClassAround(use.at) != nullptr;
    if (variable.member) variable.depth = 0;
    AddVariable(name, std::move(variable));
  } else if (parameter) {
    return UseEnd::kOther;
  }
  if (stream_.Is(tok::equal)) Advance();
  if (stream_.Is(tok::l_brace)) {
    const std::vector<TextToken> tokens = Group();
    Advance();
    use_token_ = token;
    return ReadElements(use, tokens, exact);
  }
  if (!stream_.Is(tok::l_paren)) return UseEnd::kOther;
  const std::vector<TextToken> tokens = Group();
  Advance();
  use_token_ = token;
  if (optional && exact) return ReadElements(use, tokens, exact);
  const bool count = tokens.size() == 1 && tokens[0].kind == tok::numeric_constant;
  if (count && exact && tokens[0].text != "0") return Nameless(use);
  if (!HoldsString(tokens)) return UseEnd::kOther;
  return Unresolved(use.location, "what makes objects of class '" + use.sink->macro +
                                      "' here was not followed; write " + use.sink->macro +
                                      "(...) or std::make_unique<" + use.sink->macro + ">(...)");
}

// using Name = Type;
UseEnd Matcher::NameAlias(const Call& use, const clang::IdentifierInfo* name, Holder holder) {
  if (name == nullptr || name->getName() == use.sink->macro) return UseEnd::kDeclaration;
  Interest& interest = interests_[name];
  if (interest.sink != nullptr) return UseEnd::kDeclaration;
  interest.sink = use.sink;
  interest.number = use.number;
  interest.holder = holder;
  const int file = context_.tree.Known(locator_.WrittenAt(use.location).path);
  const bool shared = file >= 0 && context_.tree.files()[static_cast<std::size_t>(file)].included;
  if (!shared || stream_.brackets() > 0) return UseEnd::kDeclaration;
  return Unresolved(use.location, "what is registered by the name '" + name->getName().str() +
                                      "' of '" + use.sink->macro +
                                      "' in other files is not seen; add a sink of that name to "
                                      "the dialect");
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
    AddKernelCall(context_.dialect, type_lists_, method.says, templates, arguments, *kernel_);
    Condition when = locator_.ConditionAt(location);
    for (TokenSpan argument : templates) when = when.And(ConditionOf(argument));
    for (TokenSpan argument : arguments) when = when.And(ConditionOf(argument));
    kernel_->condition = kernel_->condition.And(when);
  }
}

// The kernel that the sink registers, and its chain; at the token behind the call. False: none.
bool Matcher::ReadKernel(const Call& call, Registration& registration) {
  const Sink& sink = *call.sink;
  Kernel kernel;
  kernel.location = registration.site.location;
  kernel.condition = registration.site.condition;
  const std::vector<TokenSpan> own(call.arguments.begin(), call.arguments.end());
  AddKernelCall(context_.dialect, type_lists_, *sink.kernel, {}, own, kernel);
  if (sink.kernel->dtypes >= 0 || !sink.kernel->dtype_arguments.empty()) {
    for (TokenSpan argument : own) kernel.condition = kernel.condition.And(ConditionOf(argument));
  }
  Kernel* const outer = kernel_;
  kernel_ = &kernel;
  if (sink.chain >= 0) ChainIn(ArgumentAt(own, sink.chain), registration);
  Chain(registration);
  kernel_ = outer;
  if (kernel.device.empty()) {
    Unresolved(call.location, "the kernel of '" + registration.name + "' names no device");
    return false;
  }
  if (kernel.condition.IsNever()) {
    registration.site.condition = Condition::Never();
    return true;
  }
  registration.kernels.push_back(std::move(kernel));
  registration.adds = !sink.operator_too;
  return true;
}

// Blocks and variables that register.

// At the '{' behind a scope macro's ')'.
UseEnd Matcher::OpenScopeBlock(const Call& call) {
  const Scope& scope = *call.sink->scope;
  Variable variable;
  variable.kind = Variable::Kind::kLibrary;
  variable.depth = stream_.braces() + 1;
  variable.library.space = call.spelled;
  variable.library.key = CanonicalText(call.Argument(scope.key));
  const std::string receiver = CanonicalText(call.Argument(scope.receiver));
  Advance();
  AddVariable(preprocessor_.getIdentifierInfo(receiver), std::move(variable));
  return UseEnd::kBlock;
}

// The key of what a method adds; takes it off `value`, where a call there says it.
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
  const std::string& name = argument.back().text;
  const auto constant = context_.dialect.constants.find(name);
  return constant == context_.dialect.constants.end() ? name : constant->second;
}

UseEnd Matcher::RegisterInScope(const ScopeMethod& method, const Library& scope,
                                std::span<const TokenSpan> arguments,
                                clang::SourceLocation location) {
  auto argument = [&](int index) {
    bool there = index >= 0 && static_cast<std::size_t>(index) < arguments.size();
    return there ? arguments[index] : TokenSpan();
  };
  Registration registration;
  unknown_.reset();
  const NameRule rule{method.form, scope.space, {}, false};
  TokenSpan name = argument(method.name);
  if (name.empty()) {
    return Unresolved(location, "'" + method.method + "' has no argument " +
                                    std::to_string(method.name) + " here, which is the name");
  }
  if (!SetName(name, rule, location, registration)) return UseEnd::kRegistered;
  registration.site.location = locator_.WrittenAt(name.front().location);
  registration.site.call = locator_.CallAt(location, registration.site.macro);
  registration.site.condition = locator_.ConditionAt(location).And(ConditionOf(name));
  if (registration.site.condition.IsNever()) return UseEnd::kNever;
  const bool qualified = registration.name.find(context_.dialect.separator) != std::string::npos;
  if (scope.unknown && !unknown_ && (!qualified || !method.adds.empty())) {
    return Unresolved(location, "in which namespace '" + registration.name +
                                    "' is registered cannot be told: its variable is not that of "
                                    "a block; write namespace" +
                                    context_.dialect.separator + "name");
  }
  for (FieldFact& fact : registration.fields) {
    fact.value.condition = registration.site.condition;
  }
  if (!method.adds.empty()) {
    registration.adds = true;
    registration.fields.clear();  // they are those of the operator itself
    TokenSpan given = argument(method.value);
    FieldFact fact;
    fact.field = method.adds;
    fact.value.key = KeyOf(method, scope, argument(method.key), given);
    const std::vector<TextToken> value = Unwrapped(given);
    fact.value.value = CanonicalText(value);
    fact.value.condition = registration.site.condition;
    if (const KeyField* own = TakeKeyField(fact)) UseWord(own->values, value, fact);
    registration.fields.push_back(std::move(fact));
  }
  const What what = unknown_ ? What::kRecord : What::kKnown;
  FinishRegistration(std::move(registration));
  if (context_.recorder == nullptr) return UseEnd::kRegistered;
  const int number = what == What::kRecord ? static_cast<int>(result_.unknown.size()) - 1 : -1;
  context_.recorder->AddUse({use_token_, 0, what, std::exchange(recorded_text_, {}), number});
  return UseEnd::kRegistered;
}

// RegisterOperators().op("ns::a", &a).op("ns::b", &b): at the token behind the first ')'.
UseEnd Matcher::RegisterMethods(const Sink& sink) {
  UseEnd end = UseEnd::kOther;
  while (stream_.token().isOneOf(tok::period, tok::arrow)) {
    Advance();
    if (stream_.Is(tok::kw_template)) Advance();
    if (!stream_.Is(tok::identifier)) return end;
    std::string name = stream_.Spelling(stream_.token());
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

// Where what a variable is made of is a name and more, no list of operators.
Ended Matcher::EndMade(const Call& call) {
  const Sink& sink = *call.sink;
  const TokenSpan argument = call.Argument(sink.name);
  if (argument.empty() || argument.front().kind == tok::l_brace || IsMade(argument)) return {};
  if (sink.methods.empty()) return Register(call);
  if (!NameOf(argument) && call.arguments.size() == 1) return {};  // a list
  ScopeMethod method;
  method.method = sink.macro;
  method.form = sink.form;
  return {RegisterInScope(method, {}, {&argument, 1}, call.location)};
}

// Variables through which something registers.

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

// At the name of the variable.
UseEnd Matcher::UseVariable(const Variable& variable) {
  if (variable.at == stream_.position()) return UseEnd::kOther;
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
        const std::string name = stream_.Spelling(stream_.token());
        Advance();
        return Unresolved(location, "'" + name +
                                        "' is given to a function, which may add names to what is "
                                        "registered: that was not followed; add them here");
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

UseEnd Matcher::UseLibrary(const Variable& variable, const VariableUse& mention) {
  const clang::SourceLocation location = stream_.token().getLocation();
  const std::string name = stream_.Spelling(stream_.token());
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
  return Unresolved(location, "what is done with '" + name +
                                  "' here was not followed, so registrations may be missing; call "
                                  "its methods, or a function of this file that takes it");
}

// Behind the variable of a scope: .def(...).def(...)
void Matcher::CallOnLibrary(const Library& library) {
  const std::size_t token = use_token_;
  bool followed = true;
  while (stream_.token().isOneOf(tok::period, tok::arrow)) {
    Advance();
    if (stream_.Is(tok::kw_template)) Advance();
    if (!stream_.Is(tok::identifier)) return;
    const std::string name = stream_.Spelling(stream_.token());
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
        Unresolved(location, "'" + name + "' is named but not called, which was not followed");
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
    // Of several forms of one method, the first that has all arguments it speaks of.
    const auto given = static_cast<int>(SplitArguments(tokens).size());
    const auto fits = std::find_if(method, methods.end(), [&](const ScopeMethod& known) {
      return known.method == name && std::max(known.value, known.key) < given;
    });
    if (fits != methods.end()) method = fits;
    if (registers && !followed) {
      Unresolved(location, "whether '" + name +
                               "(' registers behind a method that the dialect "
                               "does not know cannot be told; add that method to "
                               "scope_methods");
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

// Methods of objects that register, and of what holds such.
UseEnd Matcher::UseObjects(const Variable& variable, const VariableUse& mention) {
  Call use;
  use.sink = variable.sink;
  use.at = stream_.position();
  use.location = stream_.token().getLocation();
  const std::size_t token = RecordedToken();
  const std::string name = stream_.Spelling(stream_.token());
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
                                        "' were not followed; name '" + use.sink->macro +
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
  const std::string method = stream_.Is(tok::identifier) ? stream_.Spelling(stream_.token()) : "";
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
  if (!HoldsString(tokens) && !braces) return UseEnd::kOther;
  return Unresolved(use.location, "'" + name + "." + method + "(' may make objects of class '" +
                                      variable.sink->macro + "', which was not followed; write " +
                                      variable.sink->macro + "(...)");
}

// op.add_alias("x"): at the '.' behind what a registration returned.
void Matcher::CallOnRegistration(const Variable& variable) {
  auto& of = variable.unknown ? result_.unknown[variable.registration].registration
                              : facts_.registrations[variable.registration];
  Registration registration = of;
  Chain(registration);
  auto& again = variable.unknown ? result_.unknown[variable.registration].registration
                                 : facts_.registrations[variable.registration];
  again = std::move(registration);
}

// auto& op = REGISTER(x);
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

// Functions that take the variable of a scope.

// At the class of such variables: Library& m as a parameter, or a variable of its own.
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

// cast<Library&>(x), make_unique<Library>(x): calls behind it, and the variable that it makes, are
// of a library that nobody knows.
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
  Group();
  if (stream_.AtEnd()) return true;
  Advance();
  Library library;
  library.unknown = true;
  if (stream_.token().isOneOf(tok::period, tok::arrow)) {
    use_token_ = token;
    CallOnLibrary(library);
    return true;
  }
  for (Index at = begin; at < outer; ++at) {
    if (stream_.KindAt(at) != tok::equal || stream_.KindAt(at - 1) != tok::identifier) continue;
    Variable variable;
    variable.kind = Variable::Kind::kLibrary;
    variable.depth = stream_.braces();
    variable.library = library;
    AddVariable(stream_.NameAt(at - 1), std::move(variable));
    break;
  }
  return true;
}

// Library name; Library* name; as a variable or member, or Library(...) itself, with methods.
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
  const bool declares = stream_.LookAhead(name).is(tok::identifier) &&
                        stream_.LookAhead(name + 1).isOneOf(tok::semi, tok::equal);
  if (!declares || before == tok::kw_class || before == tok::kw_struct) return false;
  Variable variable;
  variable.kind = Variable::Kind::kLibrary;
  variable.library.unknown = true;
  variable.made = true;
  variable.member = stream_.brackets() == 0 && ClassAround(stream_.position()) != nullptr;
  variable.depth = variable.member ? 0 : stream_.braces();
  variable.at = stream_.position() + 1 + static_cast<Index>(name);
  AddVariable(stream_.LookAhead(name).getIdentifierInfo(), std::move(variable));
  return true;
}

// At the type of a parameter whose name is that many tokens on.
bool Matcher::ReadHelperParameter(unsigned name) {
  const clang::Token& token = stream_.LookAhead(name);
  const bool parameter = token.is(tok::identifier) &&
                         stream_.LookAhead(name + 1).isOneOf(tok::comma, tok::r_paren, tok::equal);
  const Index open = stream_.Enclosing(stream_.position());
  if (!parameter || open == TokenStream::kNone || stream_.KindAt(open) != tok::l_paren) {
    return false;
  }
  Helper helper;
  const tok::TokenKind before = stream_.KindAt(open - 1);
  if (before == tok::identifier) {
    helper.name = stream_.TextAt(open - 1);
  } else if (before == tok::r_square) {
    const Index lambda = stream_.OpeningOf(open - 1);
    if (lambda != TokenStream::kNone && stream_.KindAt(lambda - 1) == tok::equal) {
      helper.name = stream_.TextAt(lambda - 2);
    }
  } else {
    return false;
  }
  if (stream_.Is(tok::kw_auto) && before != tok::r_square) return false;
  helper.parameter = ArgumentIndex(stream_, open, stream_.position());
  Variable variable;
  variable.kind = Variable::Kind::kLibrary;
  variable.library.helper = static_cast<int>(helpers_.size());
  helpers_.push_back(std::move(helper));
  AddParameter(token.getIdentifierInfo(), std::move(variable), stream_.brackets() - 1);
  return true;
}

// The namespaces of those that call the helper, with their libraries.
std::vector<Matcher::Library> Matcher::LibrariesOf(int helper, std::set<int>& seen) {
  std::vector<Library> libraries;
  if (!seen.insert(helper).second) return libraries;
  for (const HelperCall& call : helper_calls_) {
    if (!Matches(helpers_[static_cast<std::size_t>(helper)], call)) continue;
    if (call.library.helper < 0) {
      libraries.push_back(call.library);
      continue;
    }
    for (Library& library : LibrariesOf(call.library.helper, seen)) {
      libraries.push_back(std::move(library));
    }
  }
  return libraries;
}

// What helpers register is of each that calls them.
void Matcher::EndHelpers() {
  for (const HelperCall& call : helper_calls_) {
    const auto count = std::count_if(helpers_.begin(), helpers_.end(), [&](const Helper& helper) {
      return helper.body != TokenStream::kNone && Matches(helper, call);
    });
    if (count == 1) continue;
    Unresolved(call.location, "the library is given to '" +
                                  (call.name.empty() ? "a lambda" : call.name) + "', which " +
                                  (count == 0 ? "is not" : "has several meanings") +
                                  " in this file: what it registers was not followed; define it "
                                  "here, once, with a parameter of the library's type");
  }
  while (!in_helpers_.empty()) {
    const InHelper one = std::move(in_helpers_.front());
    in_helpers_.pop_front();
    std::set<int> seen;
    std::vector<Library> libraries = LibrariesOf(one.helper, seen);
    const std::vector<TokenSpan> arguments = SplitArguments(one.tokens);
    if (libraries.empty()) {
      // A lambda with a parameter of any type, of nothing that registers?
      Library unknown;
      unknown.unknown = true;
      libraries.push_back(unknown);
    }
    for (const Library& library : libraries) {
      use_token_ = one.token;
      RegisterInScope(*one.method, library, arguments, one.location);
    }
  }
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
    const bool file = value->find(context_.tree.root() + "/") != std::string::npos;
    if (!file && value->find('\0') == std::string::npos) {
      scan::SetName(*value, rule, context_.dialect.separator, registration);
      return true;
    }
    Unresolved(location, file ? "the name rests on __FILE__, which the build decides; write it out"
                              : "the name holds a NUL byte, where it may end");
    return false;
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
