// Which list file a command is to edit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "checker/project/project.h"

namespace opledger {

// `choice` is --list: a file, or the label of one of the project's lists ("float16",
// "float16-cpu"). Without it, the project's only list. What cannot be decided is an error that
// names the lists, and so is a shipped list.
std::optional<PrecisionList> ChooseList(const std::string& choice, const Project& project,
                                        Diagnostics& diagnostics);

}  // namespace opledger
