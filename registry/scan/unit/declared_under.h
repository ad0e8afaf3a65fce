// Which conditionals of a header have a say in what it declares:
//   #ifdef X / constexpr const char* kName = "a"; / #endif    Row rows[] = { #ifdef X ... #endif };
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "registry/scan/macros/macros.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {

// The identifiers of the variables and functions that hold the places, and of those in the text
// that they name.
NameSet NamesUsedAt(std::string_view text, const std::vector<Offset>& places);

// The branches that stand around or in the variables and functions of these names, in no order but
// that of the text; those of include guards left out. A NUL must stand behind the text.
std::vector<int> BranchesOfDeclarations(std::string_view text, const Outline& outline,
                                        const NameSet& names);

}  // namespace opledger::scan
