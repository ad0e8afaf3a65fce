// The manifest that a check works on: read from a file, or made by opledger-scan now.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "checker/project/check_options.h"
#include "checker/project/project.h"
#include "registry/manifest/manifest.h"

namespace opledger {

// A scan returns these fields of operators only, which saves time; none: all. Where no project
// file says what the root is, a scan's root becomes the project's. With
// --operators the scanner is never run. What the scanner says on standard error is its own; nothing
// is added where it could not do the work and said why. The project's configurations add to those
// of the dialect.
std::optional<Manifest> GetManifest(const CheckOptions& options,
                                    const std::set<std::string>& fields, Project& project,
                                    Diagnostics& diagnostics);

// Where a file is that the command line names.
Source NamedIn(const CheckOptions& options, const Project& project, const std::string& path);

// What a check reads: the fields that its rules, candidates and statistics declare. `turned_on`:
// rules that are off by default.
std::set<std::string> FieldsOfCheck(const std::set<std::string>& turned_on);

}  // namespace opledger
