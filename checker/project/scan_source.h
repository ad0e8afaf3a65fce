// Gets the manifest for a check: reads it from a file or runs opledger-scan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "checker/project/check_options.h"
#include "checker/project/project.h"
#include "registry/manifest/manifest.h"

namespace opledger {

// Returns a manifest with these fields of operators, or with all if `fields` is empty. Without
// --operators, runs the scanner, which reports its own errors on standard error; if there is no
// project file, sets the project's root to that of the scan. Adds the project's configurations to
// those of the dialect. Returns nullopt, with an error, on failure.
std::optional<Manifest> GetManifest(const CheckOptions& options,
                                    const std::set<std::string>& fields, Project& project,
                                    Diagnostics& diagnostics);

// Returns the tree that contains a file named on the command line.
Source NamedIn(const CheckOptions& options, const Project& project, const std::string& path);

// Returns the fields that the rules, candidates and statistics of a check read. `turned_on` are
// rules that are off by default.
std::set<std::string> FieldsOfCheck(const std::set<std::string>& turned_on);

}  // namespace opledger
