// Expands macros in #if expressions.
//   #define VERSION(a, b) ((a) * 100 + (b)) / #if VERSION(2, 1) > 200  ->  ((2) * 100 + (1)) > 200
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/condition/lexer.h"
#include "registry/scan/outline/macro_states.h"

namespace opledger::scan {

// Macro name -> definition; null: as at the start of the file.
using MacroMeanings = std::map<std::string, const MacroDefinition*, std::less<>>;

struct ExpandedCondition {
  enum class State {
    kDone,
    kNotFollowed,  // __VA_OPT__, a "#", or pasted tokens that do not form a token
    kWants,        // `text` names a macro that may change and has no meaning yet
    kWantsValue,   // a name is pasted from the value of the macro `text`, which the build defines
  };
  State state = State::kDone;
  std::string text;
};

// Expands the macros of the expression as the standard specifies.
ExpandedCondition ExpandCondition(const std::vector<ConditionToken>& expression,
                                  const MacroMeanings& meanings, MacrosAtPlace& place);

}  // namespace opledger::scan
