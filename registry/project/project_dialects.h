// A project with several dialects, as one of them sees it: each is scanned and checked for itself,
// and an operator is known by its dialect and its name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/project/project.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// The project as the dialect of this name or path sees it. `choice` may be empty where there is
// only one. An error where it is not clear which one is meant, or where the project does not have
// it. Without "dialects" the file is returned as it is.
std::optional<ProjectFile> ChooseDialect(const ProjectFile& file, const std::string& choice,
                                         Diagnostics& diagnostics);

// Whether it is one of several dialects of the project.
bool HasDialect(const ProjectFile& file, std::string_view name);

// The paths of its dialects that are files of the project.
std::vector<std::string> DialectFiles(const ProjectFile& file);

// Whether this is a path, and not the name of a shipped dialect: it contains '/' or ends in
// ".json".
bool IsDialectFile(std::string_view name_or_file);

}  // namespace opledger
