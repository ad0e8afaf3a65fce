// What C++ expressions of constants come to, as far as registrations need it: strings and lists of
// them, booleans, functions of the sources that return these. No types, no side effects but on
// local variables; what it cannot follow is unknown, never a guess.
//   types::Concat(floats(), {"tensor(bool)"}) -> tensor(float16), tensor(float), tensor(bool)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {

struct Closure;

struct ConstantValue {
  enum class Kind { kUnknown, kName, kNumber, kBoolean, kString, kList, kFunction };
  Kind kind = Kind::kUnknown;
  std::string text;  // of a name (an enumerator, without scopes), number, boolean, string
  std::vector<ConstantValue> items;
  std::shared_ptr<const Closure> function;

  bool IsUnknown() const;  // or holds something unknown
  // For manifests: lists joined by ", "; empty for functions and the unknown.
  std::string Text() const;
};

// What the names of a body mean.
struct EvaluationScope {
  std::string file;  // whose static functions count first
  std::map<std::string, ConstantValue> variables;
  std::set<std::string> constants;  // those that nothing can change: what a lambda captured
};

// A lambda: its parameters, its body, and what it sees.
struct Closure {
  std::vector<std::string> parameters;
  std::vector<TextToken> body;
  EvaluationScope scope;
};

class Evaluator {
 public:
  // Told of each method that a body calls on its parameter.
  using OnMethod = std::function<void(const std::string& method, const std::vector<TokenSpan>&,
                                      EvaluationScope&)>;

  explicit Evaluator(const Evaluation& how) : how_(how) {}

  void Add(const std::string& file, const std::vector<Definition>& definitions);

  ConstantValue Evaluate(TokenSpan expression, EvaluationScope& scope);
  // Runs a function of one parameter, and tells what it calls on it. False: it does something that
  // cannot be followed.
  bool Populate(const ConstantValue& function, const OnMethod& on_method);

  // For what is inside an expression.
  ConstantValue Call(const std::string& name, const std::vector<ConstantValue>& arguments,
                     const EvaluationScope& scope);
  ConstantValue Constant(const std::string& name, const EvaluationScope& scope);
  // False: too much was asked for since the last Begin(). No endless recursion, no endless work.
  bool Spend();
  void Begin() { steps_ = 0; }

 private:
  struct Known {
    std::string file;
    const Definition* definition;
  };

  // `arguments`: how many a function must take; -1: a constant.
  const Known* Find(const std::string& name, int arguments, const std::string& file) const;
  // Of a text of a definition; none where they are too many.
  TokenSpan TokensOf(const std::string& text);
  ConstantValue DefaultOf(const std::string& name, std::size_t parameter);

  const Evaluation& how_;
  std::multimap<std::string, Known, std::less<>> definitions_;
  std::map<const std::string*, LexedText> lexed_;
  int depth_ = 0;
  long steps_ = 0;
};

}  // namespace opledger::scan
