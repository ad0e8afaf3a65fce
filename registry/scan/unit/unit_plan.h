// The plan for a translation unit: which macros of its headers it needs, and under which
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

// A header macro to define before the unit, instead of including the header.
struct NeededMacro {
  std::string name;
  std::vector<DefinitionRef> definitions;  // under conditions that exclude each other
};

// The condition of a branch that decides computed names, in terms of macros at the start of the
// unit.
struct DecidingCondition {
  ForcedBranch branch;
  Condition when;
};

// What the names computed at a place depend on; see decisions.h.
struct PlannedDecision {
  std::vector<DecidingCondition> conditions;  // unique
  std::vector<std::string> macros;            // keys of `values`
  bool all = true;                            // each combination of these has a pass
};

// A meaning of a macro at a statement.
struct MacroMeaning {
  std::string macro;
  Condition when;
  std::vector<ForcedBranch> forced;  // branches to take for it
};

// Text of the unit with macros that have several meanings. If a meaning is empty or is pasted by
// ##, the tokens do not tell which one applied:
//   #ifdef X / #define SUFFIX "_x" / #else / #define SUFFIX / #endif   REGISTER("a" SUFFIX)
struct VariedText {
  Range range;
  std::vector<MacroMeaning> meanings;
};

struct UnitPlan {
  std::vector<NeededMacro> macros;
  std::vector<int> branches;  // of relevant conditionals of the unit, ascending
  std::vector<Pass> passes;   // at least one
  // States of each macro that the text names and the build decides.
  std::map<std::string, std::vector<ValueState>, std::less<>> values;
  std::vector<std::string>
      looked_up;            // every identifier looked up, sorted; the plan depends on these
  std::vector<Range> idle;  // ranges of the unit's text (statement_walk.h)
  bool in_code = false;     // a registration may be in code that does not run
  // #includes in a block whose file was not found, or has conditionals that are not followed.
  std::vector<Offset> cut_includes;
  std::string full_headers_reason;  // why headers must be read in full; empty if they need not
  bool too_many = false;            // the passes do not cover all combinations of conditions
  std::map<Location, PlannedDecision> decisions;
  bool values_combined = true;     // the passes cover all combinations of `values`
  std::set<int> splitting;         // branches of the unit among the arguments of registering calls
  std::vector<VariedText> varied;  // in file order
};

// `text` is the unit's text, followed by a NUL. `flags` are the definitions of its command line.
// `decisions` is set if names are evaluated, so that all text may affect registrations.
UnitPlan PlanUnit(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect, int unit,
                  const NameSet& leading, std::string_view text, const Defines& flags,
                  const std::vector<Decision>* decisions = nullptr);

// Returns the digest of the meanings of the `looked_up` names in `unit`. For equal bytes, equal
// digests mean equal plans.
Digest MeaningDigest(const MacroIndex& index, int unit, const NameSet& leading,
                     const Outline& outline, const std::vector<std::string>& looked_up);

}  // namespace opledger::scan
