// Computes the meaning of a macro at a place: one state for each definition that may apply there.
//   #ifdef A / #define X 1 / #endif / <here>  ->  {defined(A): X is 1}, {!defined(A): as before}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "registry/scan/outline/outline.h"

namespace opledger::scan {

struct MacroState {
  Condition when;
  const MacroDefinition* macro = nullptr;  // may be an #undef; null: as at the start of the file
  int file = -1;                           // index of its file, if there are several
};

// A change of a macro in a file, or in a file that it includes there.
struct MacroEvent {
  Offset offset = 0;
  MacroState state;
};

// Returns the macro's states at `offset` after these events, which are in file order. Leaves out
// states that are impossible under `around`. The conditions of the states exclude each other.
std::vector<MacroState> StatesAt(const std::vector<MacroEvent>& events, Offset offset,
                                 const Condition& around);

// Meanings of macros at one place of a file.
class MacrosAtPlace {
 public:
  virtual ~MacrosAtPlace() = default;
  // Returns whether the name may have another meaning there than at the start of the file.
  virtual bool Changes(const std::string& name) = 0;
  virtual std::vector<MacroState> States(const std::string& name, const Condition& around) = 0;
  // Returns the values that builds are known to define the macro as.
  virtual std::set<std::string> TextsOfBuilds(const std::string& name) = 0;
  virtual bool HasInclude(const std::string& target) const = 0;  // `target` as written: "<x.h>"
  virtual int Line() const = 0;                                  // 0 if unknown
};

// Replaces the macros in the #if expression by their meanings, so that the result refers to macros
// as they are at the start of the file. Returns nullopt if nothing changes. `around` holds wherever
// the expression is evaluated. Parts that cannot be resolved become unknown.
std::optional<Condition> ResolveExpression(const std::string& expression, MacrosAtPlace& place,
                                           const Condition& around);

// Does the same for a condition that refers to macros as they are at the place.
Condition ResolveCondition(const Condition& condition, MacrosAtPlace& place,
                           const Condition& around);

// Resolves the conditions of branches that use the file's own macros, unless an #include is in
// between:
//   #ifndef FAST / #define FAST 1 / #endif / #if FAST  ->  !defined(FAST) || FAST
// This is a final step of making an outline.
void ResolveConditions(Outline& outline);

// Returns whether the definition is the file's include guard, which does not affect conditions.
bool IsGuardMacro(const Outline& outline, const MacroDefinition& macro);

// Returns the identifiers of an #if expression; empty if it cannot be lexed.
std::vector<std::string> NamesIn(const std::string& expression);

}  // namespace opledger::scan
