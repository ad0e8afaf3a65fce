// Finds all errors in the form of a project file, its dialect and its lists, whereas other verbs
// stop at the first file that they cannot read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/source/source.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Returns the files that were read, relative to the folder of the project file, which comes first.
// Reports errors with paths relative to that folder, too.
std::vector<std::string> ValidateConfig(const Source& here, const std::string& project_file,
                                        Diagnostics& diagnostics);

}  // namespace opledger
