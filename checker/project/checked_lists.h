// The lists that operators are held against: those of --list, else of the project file, else the
// shipped ones of the dialect.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/project/check_options.h"
#include "checker/project/project.h"
#include "registry/manifest/manifest.h"

namespace opledger {

// None, with errors, where there is no list, or one cannot be read, is for another framework, or is
// named by the project file and leads outside the project.
std::optional<std::vector<PrecisionList>> ReadCheckedLists(const CheckOptions& options,
                                                           const Project& project,
                                                           const Manifest& manifest,
                                                           Diagnostics& diagnostics);

// `choices` are of --list: files, labels of the project's lists ("float16", "float16-cpu"), or
// "all". Without one, the project's only list. What cannot be decided is an error that names the
// lists, and so is a shipped list. Empty: there was an error.
std::vector<PrecisionList> ChooseLists(const std::vector<std::string>& choices,
                                       const Project& project, Diagnostics& diagnostics);

}  // namespace opledger
