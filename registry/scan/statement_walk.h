// Finds the statements of a file that may register, before any preprocessing: from a leading macro
// to the ';' that ends the statement, both sides of every #if.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/macro_index.h"

namespace opledger::scan {

struct Statements {
  NameSet identifiers;        // all of them, those inside braces left out
  std::vector<int> branches;  // conditionals that hold a statement, or stand inside one
};

Statements WalkStatements(std::string_view text, const Outline& outline, const NameSet& leading);

}  // namespace opledger::scan
