// The lists that operators are held against: those of the project file, else those that the
// framework keeps itself, else the shipped ones of the dialect. Of these --list chooses by label,
// or it names files instead (list_choice.h).
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

// None, with errors, where there is no list, or one cannot be read, is for another framework, or is
// named by the project file and leads outside the project. What of a framework's own lists cannot
// be read is added to the incomplete records of `manifest`.
std::optional<std::vector<PrecisionList>> ReadCheckedLists(const CheckOptions& options,
                                                           const Project& project,
                                                           Manifest& manifest,
                                                           Diagnostics& diagnostics);

// Those only that the framework keeps itself: the derived lists of the project file, else those of
// the dialect.
std::optional<std::vector<PrecisionList>> ReadFrameworkLists(const CheckOptions& options,
                                                             const Project& project,
                                                             Manifest& manifest,
                                                             Diagnostics& diagnostics);

// The dialect of the project: that of the command line, the project file or the manifest. nullopt
// if none of them names one that can be read.
std::optional<Dialect> DialectOf(const CheckOptions& options, const Project& project,
                                 const Manifest& manifest);

// Whether some operator of the manifest has this field for this device.
IsRegistered RegisteredIn(const Manifest& manifest);

// `choices` are of --list: files, labels of the project's lists ("float16", "float16-cpu"), or
// "all". Without one, the project's only list. What cannot be decided is an error that names the
// lists, and so is a shipped list. `framework`: only lists of this one; empty: of any. Empty: there
// was an error.
std::vector<PrecisionList> ChooseLists(const std::vector<std::string>& choices,
                                       const Project& project, Diagnostics& diagnostics,
                                       const std::string& framework = {});

}  // namespace opledger
