// Chooses the lists to check: those of the project file, otherwise those that the framework keeps,
// otherwise the dialect's shipped ones. --list selects from these by label, or names files instead
// (list_choice.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/project/check_options.h"
#include "checker/project/project.h"
#include "registry/dialect/kept_list.h"
#include "registry/manifest/manifest.h"

namespace opledger {

// Returns nullopt, with errors, if there is no list, or if one cannot be read, is for another
// framework, or is named by the project file but outside the project. Adds what cannot be read of a
// framework's own lists to the incomplete records of `manifest`.
std::optional<std::vector<PrecisionList>> ReadCheckedLists(const CheckOptions& options,
                                                           const Project& project,
                                                           Manifest& manifest,
                                                           Diagnostics& diagnostics);

// Returns only lists that the framework keeps: the derived lists of the project file, otherwise
// those of the dialect.
std::optional<std::vector<PrecisionList>> ReadFrameworkLists(const CheckOptions& options,
                                                             const Project& project,
                                                             Manifest& manifest,
                                                             Diagnostics& diagnostics);

// Returns the dialect of the command line, the project file or the manifest, or nullopt if it
// cannot be read.
std::optional<Dialect> DialectOf(const CheckOptions& options, const Project& project,
                                 const Manifest& manifest);

// Returns a function that tests whether an operator has this field for this device.
IsRegistered RegisteredIn(const Manifest& manifest);

// `choices` are the values of --list: files, labels of the project's lists ("float16",
// "float16-cpu"), or "all". Without any, chooses the project's only list. Reports an error that
// names the lists if the choice is ambiguous, and for shipped lists. If `framework` is not empty,
// chooses only its lists. Returns {} after an error.
std::vector<PrecisionList> ChooseLists(const std::vector<std::string>& choices,
                                       const Project& project, Diagnostics& diagnostics,
                                       const std::string& framework = {});

}  // namespace opledger
