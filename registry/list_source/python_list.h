// Reads the lists of a Python module, as far as they follow from its text (evaluate/evaluator.h).
// Nothing is run: what is not known makes a list incomplete, with a warning at its place.
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

// First the lists of the module in the order of their assignment, then those of its dicts
// ("LISTS.white"), classes ("Lists.WHITE") and functions ("white_list" for what it returns,
// "white_list.names" for its own). An item below another `if` than of X.is_enabled('FEATURE') has
// the condition unread(LINE); what such a test takes away or replaces makes the list incomplete,
// and so does a use of it that is not known (evaluate/python_uses.h). None after a syntax error.
std::optional<ListModule> ReadPythonLists(std::string path, std::string text,
                                          Diagnostics& diagnostics);

}  // namespace opledger
