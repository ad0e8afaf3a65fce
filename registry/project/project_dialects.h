// A project with several dialects, as seen by one of them. Each is scanned and checked separately,
// and an operator is identified by its dialect and its name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/project/project.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Returns the project's settings for the dialect with this name or path. `choice` may be empty if
// there is only one. Reports an error and returns nullopt if the choice is ambiguous or unknown.
// Without "dialects", returns the file unchanged.
std::optional<ProjectFile> ChooseDialect(const ProjectFile& file, const std::string& choice,
                                         Diagnostics& diagnostics);

// Returns whether `name` is one of several dialects of the project.
bool HasDialect(const ProjectFile& file, std::string_view name);

// Returns the dialects that are files of the project.
std::vector<std::string> DialectFiles(const ProjectFile& file);

// Returns whether this is a path, not the name of a shipped dialect: it contains '/' or ends with
// ".json".
bool IsDialectFile(std::string_view name_or_file);

}  // namespace opledger
