// Running the sibling programs: beside this one, never through PATH, never through a shell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/diagnostics.h"

namespace opledger {

// Runs the sibling `name` and collects its standard output; standard error passes through. Gives
// the exit status, or none where it could not be run or was killed (an error says so).
std::optional<int> RunSibling(const std::string& name, const std::vector<std::string>& arguments,
                              std::string& output, Diagnostics& diagnostics);

// Becomes the sibling; returns only where that fails.
void BecomeSibling(const std::string& name, const std::vector<std::string>& arguments,
                   Diagnostics& diagnostics);

}  // namespace opledger
