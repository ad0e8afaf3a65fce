// Rates the names of macros, functions, classes and keys by how likely they register operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opledger::scan {

// Splits a name: "REGISTER_OpKernel" -> {"register", "op", "kernel"}
std::vector<std::string> WordsOf(std::string_view name);

// Returns how likely a construct of this name registers: 1 if the name does not say, more if it
// suggests a registration, less if it suggests something else ("test", "log").
double RegistrationWeight(std::string_view name);

// Returns whether a word of the name is only used for registries: "register", "library", "plugin",
// "export".
bool NamesRegistration(std::string_view name);

// Names of at least this weight register.
inline constexpr double kRegisters = 2;

}  // namespace opledger::scan
