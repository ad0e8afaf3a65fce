// What the name of a macro, function, class or key says of what it is for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opledger::scan {

// "REGISTER_OpKernel" -> {"register", "op", "kernel"}
std::vector<std::string> WordsOf(std::string_view name);

// How likely it is that what has this name registers: 1 where it says nothing, more where it does,
// less where it says something else ("test", "log").
double RegistrationWeight(std::string_view name);

// Whether a word of the name is used of registries alone: "register", "library", "plugin",
// "export".
bool NamesRegistration(std::string_view name);

// From which weight on a name says that it registers.
inline constexpr double kRegisters = 2;

}  // namespace opledger::scan
