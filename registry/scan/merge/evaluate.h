// Evaluates constant C++ expressions as far as registrations need it: strings, lists of strings,
// booleans, and functions of the sources that return these. Knows no types, and no side effects
// except on local variables. What it cannot evaluate is unknown, never guessed.
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
  std::string text;  // the name (an enumerator without scopes), number, boolean or string
  std::vector<ConstantValue> items;
  std::shared_ptr<const Closure> function;

  bool IsUnknown() const;  // true also if an item is unknown
  // Text for manifests: lists are joined by ", ". Returns "" for functions and unknown values.
  std::string Text() const;
};

// Values of the names in a body.
struct EvaluationScope {
  std::string file;  // its static functions take precedence
  std::map<std::string, ConstantValue> variables;
  std::set<std::string> constants;  // variables that cannot change: those that a lambda captured
};

// A lambda: its parameters, its body, and the scope that it captured.
struct Closure {
  std::vector<std::string> parameters;
  std::vector<TextToken> body;
  EvaluationScope scope;
};

class Evaluator {
 public:
  // Called for each method that a body calls on its parameter.
  using OnMethod = std::function<void(const std::string& method, const std::vector<TokenSpan>&,
                                      EvaluationScope&)>;

  explicit Evaluator(const Evaluation& how) : how_(how) {}

  void Add(const std::string& file, const std::vector<Definition>& definitions);

  ConstantValue Evaluate(TokenSpan expression, EvaluationScope& scope);
  // Runs a function of one parameter and reports the methods that it calls on it. Returns false if
  // some of its code cannot be evaluated.
  bool Populate(const ConstantValue& function, const OnMethod& on_method);

  // For use inside expressions.
  ConstantValue Call(const std::string& name, const std::vector<ConstantValue>& arguments,
                     const EvaluationScope& scope);
  ConstantValue Constant(const std::string& name, const EvaluationScope& scope);
  // Counts one step. Returns false if there were too many since the last Begin(), which bounds
  // recursion and work.
  bool Spend();
  void Begin() { steps_ = 0; }

 private:
  struct Known {
    std::string file;
    const Definition* definition;
  };

  // `arguments`: number of arguments that a function must accept; -1 finds a constant.
  const Known* Find(const std::string& name, int arguments, const std::string& file) const;
  // Returns the tokens of a definition's text; empty if there are too many.
  TokenSpan TokensOf(const std::string& text);
  ConstantValue DefaultOf(const std::string& name, std::size_t parameter);

  const Evaluation& how_;
  std::multimap<std::string, Known, std::less<>> definitions_;
  std::map<const std::string*, LexedText> lexed_;
  int depth_ = 0;
  long steps_ = 0;
};

}  // namespace opledger::scan
