// Running the sibling programs: beside this one, never through PATH, never through a shell; and
// git.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

// Runs the sibling `name` and collects its standard output; standard error passes through. Gives
// the exit status, or none where it could not be run or was killed (an error says so).
std::optional<int> RunSibling(const std::string& name, const std::vector<std::string>& arguments,
                              std::string& output, Diagnostics& diagnostics);

// Runs git, as PATH has it, with everything off by which a repository could make it run something
// or fetch. `input` is the file it reads, or empty for none. As RunSibling otherwise.
std::optional<int> RunGit(const std::vector<std::string>& arguments, const std::string& input,
                          std::string& output, Diagnostics& diagnostics);

// Runs a program as PATH has it, or by its path, that the user named. As RunSibling otherwise.
std::optional<int> RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                              std::string& output, Diagnostics& diagnostics);

// Becomes the sibling; returns only where that fails.
void BecomeSibling(const std::string& name, const std::vector<std::string>& arguments,
                   Diagnostics& diagnostics);

}  // namespace opledger
