// The reader inside Match: registrations (match.cpp), their chains (match_chain.cpp), kernels
// (match_kernel.cpp), blocks that register in a namespace (match_scope.cpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/match/match.h"
#include "registry/scan/match/source_locator.h"
#include "registry/scan/match/token_recorder.h"
#include "registry/scan/preprocess/preprocess.h"

namespace opledger::scan {

class Matcher {
 public:
  static constexpr std::size_t kHistory = 16;

  Matcher(clang::Preprocessor& preprocessor, const MatchContext& context, Facts& facts)
      : preprocessor_(preprocessor),
        context_(context),
        facts_(facts),
        places_(preprocessor, context),
        sentinel_(preprocessor.getIdentifierInfo(kSentinel)) {
    for (const std::string& name : context.must_expand) {
      must_expand_.insert(preprocessor.getIdentifierInfo(name));
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
  TextToken Keep() const { return {token_.getKind(), Spelling(token_), token_.getLocation()}; }
  std::vector<TextToken> Group();
  std::vector<TextToken> TemplateArguments();
  void Use();
  Echo::Use::What UseSink();
  void Open(const Sink& sink, const std::vector<TokenSpan>& arguments);
  bool CallsScope();
  void ScopeCall();
  void RegisterInScope(const ScopeMethod& method, const OpenScope& scope,
                       std::span<const TokenSpan> arguments, clang::SourceLocation location);
  void RegisterMethods(const Sink& sink);
  bool DeclaresVariable();
  void Variable();
  void RegisterMade(const Sink& sink, std::span<const TokenSpan> arguments,
                    clang::SourceLocation location);
  std::optional<std::string> NameOf(TokenSpan argument);
  bool SetName(TokenSpan argument, const NameRule& rule, clang::SourceLocation location,
               Registration& registration);
  void Found(Registration registration);
  Echo::Use::What Register(const Sink& sink, const std::vector<TokenSpan>& arguments,
                           clang::SourceLocation location);
  static std::string SourceText(std::span<const TokenSpan> arguments);
  bool SetExpression(const Sink& sink, const std::string& argument, clang::SourceLocation location);
  Condition WhenAll(TokenSpan tokens);
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
  std::string DeviceOf(TokenSpan argument) const;
  std::string DetailOf(TokenSpan argument) const;
  void SayKernel(const KernelCall& call, const std::vector<TokenSpan>& templates,
                 const std::vector<TokenSpan>& arguments, Kernel& kernel) const;
  void MethodOfKernel(const std::string& name, const std::vector<TokenSpan>& templates,
                      const std::vector<TokenSpan>& arguments, clang::SourceLocation location);
  bool ReadKernel(const Sink& sink, const std::vector<TokenSpan>& arguments,
                  clang::SourceLocation location, Registration& registration);
  bool ReadChains(const Sink& sink, const std::vector<TokenSpan>& arguments,
                  clang::SourceLocation location, Registration& registration);
  void Keep(const ChainMethod& method, const std::vector<TokenSpan>& arguments,
            clang::SourceLocation location, Registration& registration);
  const KeyField* TakeKeyField(FieldFact& fact) const;
  static void UseWord(const std::map<std::string, std::string>& words, TokenSpan value,
                      FieldFact& fact);
  void Leftover(bool in_chain);
  void Unresolved(clang::SourceLocation location, std::string detail);

  clang::Preprocessor& preprocessor_;
  const MatchContext& context_;
  Facts& facts_;
  Places places_;
  clang::IdentifierInfo* sentinel_;
  llvm::DenseSet<clang::IdentifierInfo*> must_expand_;
  llvm::DenseMap<clang::IdentifierInfo*, const Sink*> variables_;  // sinks that are classes
  clang::Token token_;
  std::size_t count_ = 0;
  std::size_t strange_ = 0;                      // tokens that are none of C++
  std::vector<clang::Token> history_{kHistory};  // a ring: the tokens before the current one
  std::vector<OpenScope> scopes_;
  int depth_ = 0;                       // open braces
  std::optional<UnknownName> unknown_;  // of the registration that is being read
  std::string echoed_;                  // the text of the last Echo::Use
  std::size_t use_token_ = 0;           // of the use that is being read
  Kernel* kernel_ = nullptr;            // that the chain being read is of
  MatchResult result_;
};

}  // namespace opledger::scan
