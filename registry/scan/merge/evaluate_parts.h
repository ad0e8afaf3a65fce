// The two readers inside the evaluator: of expressions, and of function bodies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/scan/merge/evaluate.h"

namespace opledger::scan {

class Expression {
 public:
  Expression(Evaluator& evaluator, TokenSpan tokens, Scope& scope)
      : evaluator_(evaluator), tokens_(tokens), scope_(scope) {}

  Value Read();

 private:
  bool Is(clang::tok::TokenKind kind) const {
    return at_ < tokens_.size() && tokens_[at_].kind == kind;
  }
  TokenSpan Group();
  std::vector<Value> Arguments(TokenSpan group);
  Value Choice();
  Value Both(std::size_t level);
  Value Negation();
  Value Primary();
  Value Qualified();
  Value Applied(const std::string& path, std::vector<Value> arguments, bool braces);
  Value Lambda();
  std::vector<Value> TemplateArguments();

  Evaluator& evaluator_;
  TokenSpan tokens_;
  Scope& scope_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

class Body {
 public:
  // `receiver`: the parameter whose method calls are told; empty: none.
  Body(Evaluator& evaluator, Scope& scope, std::string receiver,
       const Evaluator::OnMethod* on_method)
      : evaluator_(evaluator),
        scope_(scope),
        receiver_(std::move(receiver)),
        on_method_(on_method) {}

  // What it returns; none where it ends without, or where it cannot be followed.
  std::optional<Value> Run(TokenSpan tokens);
  bool followed() const { return followed_; }

 private:
  std::size_t Statement(TokenSpan tokens, std::size_t at);
  void If(TokenSpan statement);
  std::size_t EndOf(TokenSpan tokens, std::size_t at) const;
  void Simple(TokenSpan statement);
  void MethodsOf(TokenSpan statement);
  bool Assign(TokenSpan statement);
  bool Append(TokenSpan statement);
  bool Mentions(TokenSpan tokens, const std::string& name) const;
  void Lose(TokenSpan statement);

  Evaluator& evaluator_;
  Scope& scope_;
  std::string receiver_;
  const Evaluator::OnMethod* on_method_;
  std::optional<Value> returned_;
  int nesting_ = 0;
  bool done_ = false;
  bool followed_ = true;
};

}  // namespace opledger::scan
