// Which code never runs, told from the tokens of a file without parsing C++: if (false), what
// follows a return, functions that nothing calls. In: the text of a unit and a place in it; out:
// the condition on macros under which the place may run.
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

// What the analysis has to know of other files.
class OtherCode {
 public:
  virtual ~OtherCode() = default;
  // Whether other files may include this one, so that they see its functions.
  virtual bool IsShared() const = 0;
  // Whether it includes files that are not here.
  virtual bool HasUnreadHeaders() const = 0;
  // Whether a file that this one includes may name the function, class or variable.
  virtual bool Names(std::string_view name) const = 0;
  // Whether macros of this name, if it is one, leave the structure of statements as it is written:
  // no unpaired brackets, no labels.
  virtual bool IsTame(std::string_view name) const = 0;
  // Whether a macro may join an argument that is this part of a name to the rest of it.
  virtual bool MayJoin(std::string_view part) const = 0;
  // Whether a call of this macro is a declaration of its own, even without a ';'.
  virtual bool IsWhole(std::string_view name) const = 0;
};

class CodeFlow {
 public:
  // All must outlive it. A NUL byte must follow `text` in memory.
  CodeFlow(std::string_view text, const Outline& outline, const MacroTests& macros,
           const OtherCode& others)
      : code_(text, outline),
        others_(others),
        tests_(code_, macros),
        declarations_([&others](std::string_view name) { return others.IsWhole(name); }) {}

  // The condition without which the code at the place never runs. Always: it may run, as far as
  // this tells.
  Condition ReachOf(Offset place);

 private:
  // Enough for any unit that is written by hand.
  static constexpr int kMaxReachSteps = 20'000;

  // A statement of a block, or a label, and when it is reached where the block is. `entered`: a
  // label before it may be jumped to from elsewhere.
  struct Item {
    int begin;
    int end;
    Condition reached;
    bool entered;
  };
  using Items = std::vector<Item>;
  // for (int i = 0; i < 4; ++i): the rounds are known.
  struct LoopHead {
    std::string variable;
    long first;
    long behind;
    int body;
    int end;
  };
  // What a switch is about; its tokens.
  struct SwitchHead {
    int begin;
    int end;
  };

  // Statements and expressions (statements.cpp): `around` is when what holds them runs.
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

  // What runs functions, lambdas and members of classes (callers.cpp). `inside` tells of a mention
  // that runs when it leads to the place that is asked about.
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
  std::map<std::pair<const CodeView*, int>, Items> blocks_;         // by their brace
  std::map<std::pair<const CodeView*, int>, bool> has_statements_;  // likewise
  std::set<std::string, std::less<>> following_;  // names whose mentions are being followed
  int steps_ = 0;
};

}  // namespace opledger::scan
