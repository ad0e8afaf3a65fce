// Combines the registrations of all passes of a unit whose names were evaluated or may depend on
// the value of a macro. A name that only some passes find depends on a condition elsewhere:
//   {"a", #if X "b", #endif}
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
  // Place of the code that computed the name; nullopt for a constant name, all of whose conditions
  // may be known.
  std::optional<Location> place;
  int varied = -1;  // index of the varied text (unit_plan.h) that contains it
};

// A condition on which a registration may depend, and the passes in which it holds.
struct PassCondition {
  Condition condition;
  Condition shown;          // an equivalent, shorter form
  std::vector<bool> holds;  // by pass
  std::string macro;        // the macro of which this is a state; empty if none
};

struct ConditionsOfPasses {
  std::map<Location, std::vector<PassCondition>> of_place;  // by place where names are computed
  // Conditions of constant names: values of macros of the build, and branches among arguments.
  std::vector<PassCondition> constants;
  std::vector<PassCondition> any;  // constants and all branches of the unit
  // By varied text: the meanings of its macros, and `constants`.
  std::vector<std::vector<PassCondition>> varied;
  bool combined = true;  // each combination of the values has a pass
};

// Adds the registrations to `facts`, each once, under the condition that separates the passes that
// found it from the others: a condition of its place, or a combination, otherwise any condition.
// Reports an evaluated name if there is no such condition, and any name if several conditions are
// possible, since there may be more names. `possible`: what the passes should cover.
void AddEvaluated(std::vector<EvaluatedRegistration> evaluated, const std::vector<Pass>& passes,
                  const ConditionsOfPasses& conditions, const Condition& possible, Facts& facts);

}  // namespace opledger::scan
