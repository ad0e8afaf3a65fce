// What macros come to that the sources leave to the build: the values that configurations name.
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

// Stands for the value of a macro, whose name follows, that is defined and of which no more is
// known.
inline constexpr std::string_view kValueOf = "opledgerValueOf_";

// Reports the names and aliases that rest on such values in place of keeping them, unless
// `is_told_elsewhere` holds for the macro. In all other texts the macros' names stand for their
// values.
void SettleUnknownValues(Facts& facts,
                         const std::function<bool(const std::string& macro)>& is_told_elsewhere);

// Reports the conditions that could not be worked out.
void BookComplexConditions(Facts& facts);

// What may be known of a macro besides the configurations.
struct MacroUse {
  bool tested = false;   // a condition asks for it
  bool defined = false;  // a file defines it, as a default or otherwise
  bool given = false;    // other units that include this one define it
};

// One state of a macro.
struct ValueState {
  Condition when;   // excludes the others
  Condition shown;  // the same in fewer words, where the others need no telling apart
};

// The states that the macro may have where no file defined it: undefined, a value of a
// configuration, and another value where some configuration does not name it. They exclude each
// other. None: the macro is not known to be one.
std::vector<ValueState> ValueStates(const Dialect& dialect, const std::string& macro, MacroUse use);

}  // namespace opledger::scan
