// What a macro means at a place: a state per definition that may count there.
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
  const MacroDefinition* macro = nullptr;  // perhaps of an #undef; none: as before the file
  int file = -1;                           // that holds it, where there are several
};

// What happens to a macro in a file, or in what it includes there.
struct MacroEvent {
  Offset offset = 0;
  MacroState state;
};

// The states at `offset` of the macro with these events, in their order, without those that cannot
// be under `around`. Their conditions exclude each other.
std::vector<MacroState> StatesAt(const std::vector<MacroEvent>& events, Offset offset,
                                 const Condition& around);

// What macros mean at one place of a file.
class MacrosAtPlace {
 public:
  virtual ~MacrosAtPlace() = default;
  // Whether the name may mean something else there than where the file begins.
  virtual bool Changes(const std::string& name) = 0;
  virtual std::vector<MacroState> States(const std::string& name, const Condition& around) = 0;
  // Texts that builds are known to define the macro as.
  virtual std::set<std::string> TextsOfBuilds(const std::string& name) = 0;
  virtual bool HasInclude(const std::string& target) const = 0;  // as written: "<x.h>"
  virtual int Line() const = 0;                                  // 0: unknown
};

// The #if expression with what its macros mean put in, so that it speaks of macros as they are
// where the file begins; none where nothing changes. `around` holds wherever it is evaluated. What
// cannot be followed is unknown.
std::optional<Condition> ResolveExpression(const std::string& expression, MacrosAtPlace& place,
                                           const Condition& around);

// The same of a condition that speaks of macros as they are at the place.
Condition ResolveCondition(const Condition& condition, MacrosAtPlace& place,
                           const Condition& around);

// Puts what the file's own macros mean into the conditions of its branches, where no #include comes
// between:
//   #ifndef FAST / #define FAST 1 / #endif / #if FAST  ->  !defined(FAST) || FAST
// The last step of making an outline.
void ResolveConditions(Outline& outline);

// Whether the definition is that of the file's include guard: it says nothing about conditions.
bool IsGuardMacro(const Outline& outline, const MacroDefinition& macro);

// The identifiers of an #if expression; none where it is no tokens.
std::vector<std::string> NamesIn(const std::string& expression);

}  // namespace opledger::scan
