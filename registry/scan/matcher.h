// The reader inside Match: registrations (match.cpp), their chains (match_chain.cpp), blocks that
// register in a namespace (match_scope.cpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseSet.h"
#include "registry/scan/match.h"
#include "registry/scan/places.h"
#include "registry/scan/preprocess.h"
#include "registry/scan/token_text.h"

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
  void SkipTemplateArguments();
  void Use();
  void Open(const Sink& sink, const std::vector<TokenSpan>& arguments);
  bool CallsScope();
  void ScopeCall();
  void RegisterInScope(const ScopeMethod& method, const OpenScope& scope,
                       const std::vector<TokenSpan>& arguments, clang::SourceLocation location);
  void RegisterMethods(const Sink& sink);
  std::optional<std::string> NameOf(TokenSpan argument);
  bool SetName(TokenSpan argument, NameForm form, const std::string& space,
               clang::SourceLocation location, Registration& registration);
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
  clang::Token token_;
  std::size_t count_ = 0;
  std::size_t strange_ = 0;                      // tokens that are none of C++
  std::vector<clang::Token> history_{kHistory};  // a ring: the tokens before the current one
  std::vector<OpenScope> scopes_;
  int depth_ = 0;  // open braces
  MatchResult result_;
};

}  // namespace opledger::scan
