// What is wrong with the form of a project file, its dialect and its lists: everything at once,
// where other verbs stop at the first file that they cannot read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/source/source.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// The files that were looked at, the project file first, as seen from its folder; what is wrong
// goes to `diagnostics`, with paths seen from there.
std::vector<std::string> ValidateConfig(const Source& here, const std::string& project_file,
                                        Diagnostics& diagnostics);

}  // namespace opledger
