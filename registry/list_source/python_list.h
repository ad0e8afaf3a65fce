// Reads the literal lists of a Python module. It executes nothing: what is no literal is reported
// with its place, and never dropped silently.
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

// Reads module-level assignments, `+=`, extend, append, update and NAME[key] = value, also below
// `if` with X.is_enabled('FEATURE') (with and, or, not, elif, else). None after a syntax error.
std::optional<ListModule> ReadPythonLists(std::string path, std::string text,
                                          Diagnostics& diagnostics);

}  // namespace opledger
