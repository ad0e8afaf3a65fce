// The matcher's state within a translation unit. Its member functions are grouped by what they
// read: uses of sinks (sink_use.cpp), names, chains, classes, scope variables and others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clang/Lex/Preprocessor.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/match/match.h"
#include "registry/scan/match/source_locator.h"
#include "registry/scan/tokens/kernel_condition.h"
#include "registry/scan/tokens/receiver.h"
#include "registry/scan/tokens/token_recorder.h"
#include "registry/scan/tokens/tokens.h"
#include "registry/scan/tokens/type_lists.h"
#include "registry/scan/tokens/variable_use.h"

namespace opledger::scan {

namespace tok = clang::tok;

using Index = TokenStream::Index;
using What = TokenRecorder::Use::What;

// Outcome of a name that leads to a registration.
enum class UseEnd {
  kRegistered,   // registers an operator, or its name is reported as dynamic
  kBlock,        // opens a block
  kDeclaration,  // declares the function or class, or is a forwarding call in its own definition
  kOther,        // belongs to another type, or only names the function or class
  kOutside,      // in a header that is scanned by itself
  kNever,        // its conditions exclude each other
  kIncomplete    // reported as incomplete
};

// Outcome of a use: how it ended and what the recorder does with its tokens.
struct Ended {
  UseEnd how = UseEnd::kOther;
  What what = What::kKnown;
};

// A use of a sink with arguments.
struct Call {
  const Sink* sink = nullptr;
  std::size_t number = 0;  // index of the sink
  Index at = 0;            // position of its name
  clang::SourceLocation location;
  std::string spelled;  // the name argument as written
  std::span<const TokenSpan> arguments;
  std::size_t templates = 0;  // number of leading arguments that are template arguments

  TokenSpan Argument(int index) const { return ArgumentAt(arguments, index); }
};

// Token that stands for a registration inside another one's arguments.
constexpr tok::TokenKind kNested = tok::annot_primary_expr;

// Returns whether the argument contains a nested registration.
bool IsMade(TokenSpan argument);

// Returns the contents of the braces that enclose all tokens: {"x", f} -> "x", f. Empty if no
// braces do.
TokenSpan Inside(TokenSpan tokens);

// Returns whether any token is a string literal.
bool HoldsString(TokenSpan tokens);

// Returns whether functions of this name construct an object of the class in their template
// argument.
bool IsMaker(std::string_view name);

// Returns whether classes of this name hold objects of the class in their template argument.
bool IsContainer(std::string_view name);

// Returns whether the arguments are a range, names.begin(), names.end(). A container constructs an
// object from each element of it.
bool IsRange(TokenSpan arguments);

class Matcher {
 public:
  Matcher(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts);

  MatchResult Run();

 private:
  // The prefix of the name that a method of the chain states.
  struct ChainPrefix {
    const Sink* sink = nullptr;
    std::optional<std::string> said;
  };
  // What a scope's variable, or a helper's parameter, refers to.
  struct Library {
    std::string space;
    std::string key;
    Condition condition;   // of its block
    int helper = -1;       // the function whose callers pass it; -1 if there is none
    bool unknown = false;  // constructed in a way that is not tracked
  };
  // A variable that registers, or may be used to register.
  struct Variable {
    enum class Kind {
      kLibrary,       // the variable of a scope
      kRegistration,  // the result of a registration: auto& op = REGISTER(x);
      kObject,        // of a class whose methods register
      kContainer,     // of objects that register
      kHidden         // an unrelated variable of the same name
    };
    Kind kind = Kind::kHidden;
    int depth = 0;  // ends when fewer braces are open
    Library library = {};
    const Sink* sink = nullptr;
    std::size_t registration = 0;  // index into `unknown` or the facts
    bool unknown = false;
    bool exact = true;              // a known container type
    bool member = false;            // a data member: may follow an object's name
    bool returned = false;          // a function of this name that returns it
    bool made = false;              // not from a block: only calls of methods matter
    Index at = TokenStream::kNone;  // position of its declaration, if that is still ahead
  };
  enum class Holder { kNone, kContainer, kUnknown };
  // Possible roles of an identifier.
  struct Interest {
    const Sink* sink = nullptr;  // the sink of this name, or the class that it is an alias of
    std::size_t number = 0;
    bool macro = false;  // pinned: expanded if arguments follow
    bool must_expand = false;
    bool scope_type = false;
    bool takes_schema = false;        // a method that registers in a scope by a schema
    bool leads = false;               // leads to a registration
    const Sink* method_of = nullptr;  // class whose method of this name registers
    Holder holder = Holder::kNone;    // an alias of a type that holds objects of the class
    std::vector<Variable> variables;  // innermost last
  };
  // A parameter, before the block of its function begins.
  struct Parameter {
    const clang::IdentifierInfo* name;
    Variable variable;
    int brackets;  // brackets open around the parameters
  };
  // A function or lambda that takes the variable of a scope.
  struct Helper {
    std::string name;  // empty for a lambda that is called at once
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
    int depth;   // number of braces open in it
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
  std::vector<TextToken> TemplateArguments(bool keep = false);
  std::vector<TextToken> Expression();
  UseEnd ReadUse();
  Ended UseSink();
  Ended EndOutside(const Call& call, const std::vector<TokenSpan>& arguments);
  Ended EndCall(const Call& call);
  Ended EndMade(const Call& call);
  std::optional<UseEnd> NoUse(const Call& call);
  bool IsDefinedAnew(const Call& call);
  bool IsHandedOn(const Call& call);
  bool IsParameterOfSink(std::string_view name, Index at);
  bool MayBeMethodOf(const Receiver& receiver, Index name);
  UseEnd OpenScopeBlock(const Call& call);

  std::optional<UseEnd> ReadAsType(const Call& use, const clang::IdentifierInfo* alias,
                                   Holder holder);
  UseEnd ReadBare(const Interest& interest);
  UseEnd ReadFunction(const Call& use, const std::string& name);
  UseEnd ReadTemplateUse(const Call& use, const std::vector<TextToken>& templates);
  UseEnd RegisterTemplate(Call use, TokenSpan templates, TokenSpan further);
  bool SetTypeName(const Call& call, const std::string& prefix, Registration& registration);
  bool IsTypeAlias(const std::string& name);
  UseEnd ReadTypeBeforeBrace(const Call& use);
  UseEnd ReadType(const Call& use);
  UseEnd DeclaredWithoutValue(const Call& use, const clang::IdentifierInfo* name, Index at);
  bool SkipDeclaratorName(const clang::IdentifierInfo*& name, bool& qualified);
  bool IsBeforeDeclarator() const;
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
  UseEnd Record(Ended ended, std::size_t token);
  UseEnd NameAlias(const Call& use, const clang::IdentifierInfo* name,
                   Holder holder = Holder::kNone);
  const clang::IdentifierInfo* AliasOf(Index at);
  const clang::IdentifierInfo* FunctionVariable(const Call& use) const;
  std::optional<UseEnd> NamesAnother(const Call& use);
  bool Swallowed() const;
  bool DeclaresType(Index at);
  const clang::IdentifierInfo* ClassAround(Index at);
  UseEnd TakesObjects(const Call& use, bool variable);

  void AddVariable(const clang::IdentifierInfo* name, Variable variable);
  void AddParameter(const clang::IdentifierInfo* name, Variable variable, int brackets);
  UseEnd UseVariable(const Variable& variable);
  UseEnd UseReturned();
  UseEnd UseMade(std::size_t token, const clang::IdentifierInfo* name);
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
  std::optional<Ended> SetNameOf(const Call& call, TokenSpan expanded, const std::string& prefix,
                                 Registration& registration);
  Ended Register(const Call& call);
  void AddBeside(std::string name, const Registration& registration);
  static std::string SourceText(std::span<const TokenSpan> arguments);
  bool SetExpression(const Sink& sink, const std::string& prefix, const std::string& argument,
                     clang::SourceLocation location);
  std::optional<std::string> PrefixSaid(const Sink& sink, TokenSpan argument);
  bool ReadWithPrefix(const Call& call, Registration& registration);
  UseEnd UnknownPrefix(const Call& call);
  bool IsWithin(const std::string& name, Index at);
  Condition ConditionOf(TokenSpan tokens);
  TokenSpan Literals(TokenSpan tokens);
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
  void AddKernel(const Kernel& kernel, std::vector<KernelAlternative> ways,
                 Registration& registration);
  bool ReadChains(const Call& call, Registration& registration);
  void AddField(const ChainMethod& method, const std::vector<TokenSpan>& arguments,
                clang::SourceLocation location, Registration& registration);
  const KeyField* TakeKeyField(FieldFact& fact) const;
  Location RowOf(clang::SourceLocation name, const Registration& registration);
  static void PlaceByValue(const ChainMethod& method, FieldFact& fact);
  static void UseWord(const std::map<std::string, std::string>& words, TokenSpan value,
                      FieldFact& fact);
  void ReportUnexpanded(bool in_chain);
  void ReportUnknownInBlock();
  bool IsKnownFunction(const std::string& name) const;
  bool MayHideVariable() const;
  void ReportSchema();
  void ReportMethod(const Sink& sink);
  UseEnd Unresolved(clang::SourceLocation location, std::string detail);
  void BookCutTypes(clang::SourceLocation location);

  clang::Preprocessor& preprocessor_;
  const MatchContext& context_;
  Facts& facts_;
  TypeLists type_lists_;
  SourceLocator locator_;
  TokenStream stream_;
  clang::IdentifierInfo* sentinel_;
  std::vector<Receiver> receivers_;  // by sink
  std::unordered_map<const clang::IdentifierInfo*, Interest> interests_;
  Interest* interest_ = nullptr;                                        // of the current token
  std::vector<std::pair<int, const clang::IdentifierInfo*>> declared_;  // variables, by depth
  std::vector<Parameter> parameters_;  // of functions whose block has not begun
  int libraries_ = 0;                  // number of tracked library variables
  std::vector<Helper> helpers_;
  std::vector<HelperCall> helper_calls_;
  std::deque<InHelper> in_helpers_;
  std::set<std::string> type_aliases_;  // and template parameters seen so far
  Index aliases_end_ = 0;               // first token not searched for them
  std::vector<Returning> returning_;
  std::vector<Derived> derived_;
  std::map<const Sink*, std::optional<Offset>> defined_anew_;
  std::set<const clang::IdentifierInfo*> enums_;  // enums with an enumerator that has a sink's name
  int outer_angles_ = 0;     // extra '>' that the last TemplateArguments() consumed: vector<T<int>>
  bool as_written_ = false;  // the tokens that Take() passed register nothing
  std::optional<UnknownName> unknown_;  // for the registration being read
  std::string recorded_text_;           // text of the last TokenRecorder::Use
  std::string recorded_head_;           // call of that use
  std::string recorded_tail_;
  std::size_t use_token_ = 0;            // first token of the use being read
  Kernel* kernel_ = nullptr;             // the kernel whose chain is being read
  std::vector<KernelAlternative> ways_;  // alternatives that a condition in its chain allows
  ChainPrefix* prefix_ = nullptr;        // receives a prefix that the chain states
  MatchResult result_;
};

}  // namespace opledger::scan
