// Registrations whose names were evaluated, or may hang on the value of a macro, once in each pass
// of their unit: a name that only some passes come to hangs on a condition that stands elsewhere,
// {"a", #if X "b", #endif}.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "registry/scan/facts/facts.h"
#include "registry/scan/preprocess/patch.h"

namespace opledger::scan {

struct EvaluatedRegistration {
  std::size_t pass = 0;
  Registration registration;
  // Whose code computed the name; none: it is a constant, of which all conditions may be known.
  std::optional<Location> place;
  int varied = -1;  // the number of the varied text (unit_plan.h) that it stands in
};

// What a registration may hang on, and which passes are under it.
struct PassCondition {
  Condition condition;
  Condition shown;          // the same in fewer words
  std::vector<bool> holds;  // by pass
  std::string macro;        // of which it is one of the states; empty: of none
};

struct ConditionsOfPasses {
  std::map<Location, std::vector<PassCondition>> of_place;  // where names are computed
  // What constant names hang on: values of macros of the build, branches among arguments.
  std::vector<PassCondition> constants;
  std::vector<PassCondition> any;  // these, and all branches of the unit
  // By varied text: what its macros may mean, and `constants`.
  std::vector<std::vector<PassCondition>> varied;
  bool combined = true;  // each combination of the values has a pass
};

// Adds them to `facts`, each once and under what tells the passes which came to it from the others:
// a condition of its place, or several together, else any. Where none does and the name was
// evaluated, or where several could, it is reported: there may be more names.
// `possible`: what the passes are to cover.
void AddEvaluated(std::vector<EvaluatedRegistration> evaluated, const std::vector<Pass>& passes,
                  const ConditionsOfPasses& conditions, const Condition& possible, Facts& facts);

}  // namespace opledger::scan
