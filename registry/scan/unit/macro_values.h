// Values that configurations give to macros that the sources leave to the build.
//   {"cpu": {"DEVICE": "host"}, "gpu": {"DEVICE": "cuda"}}  ->  is(DEVICE,host), is(DEVICE,cuda)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/facts/facts.h"

namespace opledger::scan {

// Prefix that, with the name of a macro, stands for its value if it is defined but nothing else is
// known about it.
inline constexpr std::string_view kValueOf = "opledgerValueOf_";

// Reports and removes names and aliases that depend on such values, unless `is_told_elsewhere`
// holds for the macro. In all other text, replaces the value by the macro's name.
void SettleUnknownValues(Facts& facts,
                         const std::function<bool(const std::string& macro)>& is_told_elsewhere);

// Reports the conditions that are too complex to evaluate.
void BookComplexConditions(Facts& facts);

// What is known about a macro besides the configurations.
struct MacroUse {
  bool tested = false;   // a condition tests it
  bool defined = false;  // a file defines it, as a default or otherwise
  bool given = false;    // another unit that includes this one defines it
};

// A state of a macro.
struct ValueState {
  Condition when;   // excludes the other states
  Condition shown;  // a shorter form, if the other states need not be excluded
};

// Returns the states of a macro that no file has defined: undefined, a value of a configuration, or
// another value if some configuration does not name the macro. The states exclude each other. Empty
// if this is not known to be a macro.
std::vector<ValueState> ValueStates(const Dialect& dialect, const std::string& macro, MacroUse use);

}  // namespace opledger::scan
