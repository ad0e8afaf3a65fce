// Finds code that never runs, from the tokens of a file and without parsing C++: if (false), code
// after a return, functions that nothing calls. Input: the text of a unit and an offset. Output:
// the condition on macros under which the code there may run.
// May include: registry/condition, registry/scan/lex, registry/scan/outline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/scan/flow/code_view.h"
#include "registry/scan/flow/constant_test.h"
#include "registry/scan/flow/declarations.h"
#include "registry/scan/flow/parameters.h"

namespace opledger::scan {

// What the analysis needs to know about other files.
class OtherCode {
 public:
  virtual ~OtherCode() = default;
  // Returns whether other files may include this one, and so see its functions.
  virtual bool IsShared() const = 0;
  // Returns whether the file includes files that were not found.
  virtual bool HasUnreadHeaders() const = 0;
  // Returns whether an included file may name the function, class or variable.
  virtual bool Names(std::string_view name) const = 0;
  // Returns whether the macros of this name, if there are any, keep the structure of statements: no
  // unmatched brackets, no labels.
  virtual bool IsTame(std::string_view name) const = 0;
  // Returns whether a macro may join this part of a name, as an argument, with the rest of the
  // name.
  virtual bool MayJoin(std::string_view part) const = 0;
  // Returns whether a call of this macro is a declaration of its own, even without a ';'.
  virtual bool IsWhole(std::string_view name) const = 0;
};

class CodeFlow {
 public:
  // All arguments must outlive the object. A NUL byte must follow `text` in memory.
  CodeFlow(std::string_view text, const Outline& outline, const MacroTests& macros,
           const OtherCode& others)
      : code_(text, outline),
        others_(others),
        tests_(code_, macros),
        declarations_([&others](std::string_view name) { return others.IsWhole(name); }) {}

  // Returns a condition without which the code at the offset never runs. Always, if it may run as
  // far as the analysis can tell.
  Condition ReachOf(Offset place);

 private:
  // Enough for any handwritten unit.
  static constexpr int kMaxReachSteps = 20'000;

  // A statement of a block, or a label, and when it is reached if the block is. `entered`: an
  // earlier label may be jumped to from elsewhere.
  struct Item {
    int begin;
    int end;
    Condition reached;
    bool entered;
  };
  using Items = std::vector<Item>;
  // A loop with known rounds: for (int i = 0; i < 4; ++i).
  struct LoopHead {
    std::string variable;
    long first;
    long behind;
    int body;
    int end;
  };
  // Tokens of the expression that a switch tests.
  struct SwitchHead {
    int begin;
    int end;
  };

  // Statements and expressions (statements.cpp). `around`: when the enclosing code runs.
  Condition InBody(const CodeView& view, int open, int at, const Condition& around);
  Condition InBlock(const CodeView& view, int open, int at, const Condition& around);
  Condition InItems(const CodeView& view, const Items& items, int at, const Condition& around);
  Condition InStatement(const CodeView& view, int begin, int end, int at, const Condition& around);
  Condition InIf(const CodeView& view, int begin, int end, int at, const Condition& around);
  Condition InFor(const CodeView& view, int begin, int end, int at, const Condition& around);
  Condition InSwitch(const CodeView& view, int begin, int end, int at, const Condition& around);
  Condition InTry(const CodeView& view, int begin, int end, int at, const Condition& around);
  Condition InExpression(const CodeView& view, int begin, int end, int at, Condition around);
  Condition InBrackets(const CodeView& view, int open, int at, const Condition& around);
  const Items& BlockAt(const CodeView& view, int open);
  std::optional<LoopHead> RoundsOf(const CodeView& view, int begin, int end);
  Items ItemsOf(const CodeView& view, int open, const SwitchHead* head);
  Condition CaseHolds(const CodeView& view, int label, int end, const SwitchHead& head);
  Condition NoCaseHolds(const CodeView& view, int open, const SwitchHead& head);
  Condition Completes(const CodeView& view, int begin, int end);
  Condition LoopCompletes(const CodeView& view, int begin, int end);
  bool NeverReturns(const CodeView& view, int begin, int end);

  Condition InRounds(const CodeView& view, const LoopHead& head, int at, const Condition& around);

  // Callers of functions, lambdas and members of classes (callers.cpp). `inside` returns when a
  // mention that runs leads to the place in question.
  using Inside = std::function<Condition(const CodeView& view, int mention)>;
  Condition Reach(const CodeView& view, int at);
  Condition InFunction(const CodeView& view, const Declaration& function, bool internal, int at);
  bool BindArguments(const CodeView& view, int mention, const std::vector<Parameter>& parameters,
                     ConstantTests::Bindings& bindings);
  Condition UsersOf(const CodeView& view, const Declaration& type);
  Condition LambdaRuns(const CodeView& view, int open, int capture);
  Condition MentionsRun(const CodeView& view, int declared, const Inside& inside);
  bool HasHiddenNames();
  bool IsOnlyDeclaredAt(Offset place);
  bool IsArgument(std::string_view word);
  bool IsPasted(std::string_view name);

  SourceCode code_;
  const OtherCode& others_;
  ConstantTests tests_;
  Declarations declarations_;
  std::map<std::pair<const CodeView*, int>, Items> blocks_;         // by opening brace
  std::map<std::pair<const CodeView*, int>, bool> has_statements_;  // by opening brace
  std::set<std::string, std::less<>> following_;  // names whose mentions are being followed
  int steps_ = 0;
};

}  // namespace opledger::scan
