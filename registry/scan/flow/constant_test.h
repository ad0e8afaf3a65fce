// The value of a condition in C++ code, where it rests on literals, constants of the file and
// macros alone:
//   constexpr bool kGpu = USE_CUDA > 1;  if (kGpu && true)  ->  USE_CUDA > 1
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/condition/condition.h"
#include "registry/scan/flow/code_view.h"

namespace opledger::scan {

// What the analysis has to know of macros.
class MacroTests {
 public:
  virtual ~MacroTests() = default;
  virtual bool IsMacro(std::string_view name) const = 0;
  // Whether an #if asks for the name, so that it is a macro where a condition names it.
  virtual bool IsTested(std::string_view name) const = 0;
  // Of the #ifs around the place, in terms of macros where the unit begins.
  virtual Condition Around(Offset place) const = 0;
  // Whether files that this one includes, or macros, may declare the name.
  virtual bool MayBeDeclaredElsewhere(std::string_view name) const = 0;
  // Whether each configuration says if the condition holds.
  virtual bool IsDecided(const Condition& condition) const = 0;
  // The condition of `#if EXPRESSION` at the place, in terms of macros where the unit begins.
  virtual Condition Resolve(const std::string& expression, Offset place) const = 0;
};

class ConstantTests {
 public:
  // Names that stand for the text of an expression.
  using Bindings = std::map<std::string, std::string, std::less<>>;

  ConstantTests(SourceCode& code, const MacroTests& macros) : code_(code), macros_(macros) {}

  // When the expression is true; nullopt: that is not known.
  std::optional<Condition> Test(const CodeView& view, int begin, int end);
  // When the two are equal.
  std::optional<Condition> Equal(const CodeView& view, int begin, int end, int other_begin,
                                 int other_end);
  // The expression with its constants put in, for Bindings; nullopt: it has others.
  std::optional<std::string> TextOf(const CodeView& view, int begin, int end);

  bool IsMacro(std::string_view name) const { return macros_.IsMacro(name); }
  Condition Around(Offset place) const { return macros_.Around(place); }

  // What is put in for parameters and variables; exchanged by those who follow a call.
  Bindings bindings;

 private:
  bool Append(const CodeView& view, int begin, int end, std::string& text, int depth);
  bool AppendName(const CodeView& view, int& at, std::string& text, int depth);
  bool AppendConstant(const CodeView& use, int at, std::string& text, int depth);
  bool FindDeclarations(std::string_view name, std::vector<Offset>& declared);
  std::optional<Condition> ConditionOf(const std::string& text, Offset place);
  // What `make` gives, over all ways in which constants may be declared.
  using Make = std::function<std::optional<std::string>()>;
  std::optional<Condition> OverDeclarations(const Make& make, Offset place);

  SourceCode& code_;
  const MacroTests& macros_;
  std::map<std::string, Offset, std::less<>> chosen_;  // of several declarations
  std::string undecided_;                              // one that has several, none of them chosen
  std::vector<Offset> ways_;                           // its declarations
};

}  // namespace opledger::scan
