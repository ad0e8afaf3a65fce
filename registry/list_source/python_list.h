// Reads the lists of a Python module as far as they follow from its text (evaluate/evaluator.h). No
// code is executed: an unknown value makes a list incomplete, with a warning at its location.
//   FP32 = ['exp']                      ->  FP32: exp
//   if Features().is_enabled('ONEDNN'):
//       FP32.extend(['conv'])           ->  FP32: conv, where ONEDNN
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/list_source/list_module.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Returns the lists of the module in order of assignment, then those of its dicts ("LISTS.white"),
// classes ("Lists.WHITE") and functions ("white_list" for the return value, "white_list.names" for
// a local). An item inside an `if` other than X.is_enabled('FEATURE') has the condition
// unread(LINE). If such an `if` removes or replaces items, or the list is used in an unknown way
// (evaluate/python_uses.h), the list is incomplete. Returns nullopt after a syntax error.
std::optional<ListModule> ReadPythonLists(std::string path, std::string text,
                                          Diagnostics& diagnostics);

}  // namespace opledger
