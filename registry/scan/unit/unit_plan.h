// The plan for one translation unit: which macros of its headers it needs, and under which
// assumptions about its conditionals it must be preprocessed so that every registration is seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/macros/macros.h"
#include "registry/scan/preprocess/patch.h"
#include "registry/scan/unit/decisions.h"
#include "registry/scan/unit/macro_values.h"

namespace opledger::scan {

// One header macro to define before the unit, in place of including the header.
struct NeededMacro {
  std::string name;
  std::vector<DefinitionRef> definitions;  // alternatives under conditions that exclude each other
};

// The condition of a branch that decides names which code computes, in terms of macros where the
// unit begins.
struct DecidingCondition {
  ForcedBranch branch;
  Condition when;
};

// What the names computed at a place hang on; see decisions.h.
struct PlannedDecision {
  std::vector<DecidingCondition> conditions;  // each once
  std::vector<std::string> macros;            // of `values`
  bool all = true;                            // each combination of these has a pass
};

// One thing that a macro may be at a statement.
struct MacroMeaning {
  std::string macro;
  Condition when;
  std::vector<ForcedBranch> forced;  // branches that have to be taken for it
};

// Text of the unit with macros that have several meanings each. Where one of them is empty, or ##
// joins it to others, no token tells which it had:
//   #ifdef X / #define SUFFIX "_x" / #else / #define SUFFIX / #endif   REGISTER("a" SUFFIX)
struct VariedText {
  Range range;
  std::vector<MacroMeaning> meanings;
};

struct UnitPlan {
  std::vector<NeededMacro> macros;
  std::vector<int> branches;  // of the unit: those of relevant conditionals, ascending
  std::vector<Pass> passes;   // at least one
  // By macro that the build decides and that the text names: undefined, a value.
  std::map<std::string, std::vector<ValueState>, std::less<>> values;
  std::vector<std::string>
      looked_up;            // every identifier looked up, sorted: what the plan depends on
  std::vector<Range> idle;  // of the unit's text (statement_walk.h)
  bool in_code = false;     // something may register where code may skip it
  // #includes in a block, of files whose conditionals are not followed there, or that are not
  // found.
  std::vector<Offset> cut_includes;
  std::string full_headers_reason;  // why headers must be read in full; empty: they need not
  bool too_many = false;            // the passes do not cover all combinations of conditions
  std::map<Location, PlannedDecision> decisions;
  bool values_combined = true;  // the passes cover all combinations of `values`
  std::set<int> splitting;      // branches of the unit among the arguments of calls that register
  std::vector<VariedText> varied;  // in their order
};

// `text` is the unit's bytes, with a NUL behind them; `flags` what its command line defines.
// `decisions`: where names are evaluated, so that all text may say what registers.
UnitPlan MakePlan(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect, int unit,
                  const NameSet& leading, std::string_view text, const Defines& flags,
                  const std::vector<Decision>* decisions = nullptr);

// Digest of what `looked_up` names mean in `unit`: an equal digest means an equal plan for equal
// bytes.
Digest MeaningDigest(const MacroIndex& index, int unit, const NameSet& leading,
                     const Outline& outline, const std::vector<std::string>& looked_up);

}  // namespace opledger::scan
