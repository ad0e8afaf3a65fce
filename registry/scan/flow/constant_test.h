// Evaluates a condition in C++ code if it only depends on literals, constants of the file and
// macros:
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

// What the analysis needs to know about macros.
class MacroTests {
 public:
  virtual ~MacroTests() = default;
  virtual bool IsMacro(std::string_view name) const = 0;
  // Returns whether an #if tests the name, so that it is a macro in a condition.
  virtual bool IsTested(std::string_view name) const = 0;
  // Returns the condition of the #ifs around the offset, in terms of macros at the start of the
  // unit.
  virtual Condition Around(Offset place) const = 0;
  // Returns whether included files, or macros, may declare the name.
  virtual bool MayBeDeclaredElsewhere(std::string_view name) const = 0;
  // Returns whether each configuration decides the condition.
  virtual bool IsDecided(const Condition& condition) const = 0;
  // Returns the condition of `#if EXPRESSION` at the offset, in terms of macros at the start of the
  // unit.
  virtual Condition Resolve(const std::string& expression, Offset place) const = 0;
};

class ConstantTests {
 public:
  // Maps names to the text of an expression.
  using Bindings = std::map<std::string, std::string, std::less<>>;

  ConstantTests(SourceCode& code, const MacroTests& macros) : code_(code), macros_(macros) {}

  // Returns when the expression is true, or nullopt if that is unknown.
  std::optional<Condition> Test(const CodeView& view, int begin, int end);
  // Returns when the two expressions are equal, or nullopt if that is unknown.
  std::optional<Condition> Equal(const CodeView& view, int begin, int end, int other_begin,
                                 int other_end);
  // Returns the text of the expression with constants replaced by their values, for Bindings.
  // Returns nullopt if it depends on anything else.
  std::optional<std::string> TextOf(const CodeView& view, int begin, int end);

  bool IsMacro(std::string_view name) const { return macros_.IsMacro(name); }
  Condition Around(Offset place) const { return macros_.Around(place); }

  // Values of parameters and variables. Set while a call or loop is analyzed.
  Bindings bindings;

 private:
  bool Append(const CodeView& view, int begin, int end, std::string& text, int depth);
  bool AppendName(const CodeView& view, int& at, std::string& text, int depth);
  bool AppendConstant(const CodeView& use, int at, std::string& text, int depth);
  bool FindDeclarations(std::string_view name, std::vector<Offset>& declared);
  std::optional<Condition> ConditionOf(const std::string& text, Offset place);
  // Evaluates `make` for each way in which constants may be declared.
  using Make = std::function<std::optional<std::string>()>;
  std::optional<Condition> OverDeclarations(const Make& make, Offset place);

  SourceCode& code_;
  const MacroTests& macros_;
  std::map<std::string, Offset, std::less<>> chosen_;  // chosen of several declarations
  std::string undecided_;     // name with several declarations, of which none is chosen
  std::vector<Offset> ways_;  // its declarations
};

}  // namespace opledger::scan
