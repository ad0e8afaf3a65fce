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

// `choice` is --list: a file, or the label of one of the project's lists ("float16",
// "float16-cpu"). Without it, the project's only list. What cannot be decided is an error that
// names the lists, and so is a shipped list.
std::optional<PrecisionList> ChooseList(const std::string& choice, const Project& project,
                                        Diagnostics& diagnostics);

}  // namespace opledger
