// Macro expansion in #if expressions.
//   #define VERSION(a, b) ((a) * 100 + (b)) / #if VERSION(2, 1) > 200  ->  ((2) * 100 + (1)) > 200
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/condition/lexer.h"
#include "registry/scan/outline/macro_states.h"

namespace opledger::scan {

// Macro name -> what it is; none: as where the file begins.
using MacroMeanings = std::map<std::string, const MacroDefinition*, std::less<>>;

struct ExpandedCondition {
  enum class State {
    kDone,
    kNotFollowed,  // a variadic macro with __VA_OPT__, a "#", pieces that join to no token
    kWants,        // `text` names a macro that may change and that has no meaning yet
    kWantsValue,   // a name is pasted of what the build says of the macro that `text` names
  };
  State state = State::kDone;
  std::string text;
};

// The expression with its macros expanded as the standard says.
ExpandedCondition ExpandCondition(const std::vector<ConditionToken>& expression,
                                  const MacroMeanings& meanings, MacrosAtPlace& place);

}  // namespace opledger::scan
