// Finds Python decorators and calls that receive names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/scan/discover/discover.h"

namespace opledger::scan {

// `path` gives the module of definitions, whose names are qualified: "package.module.register_op".
FileUses FindPythonUses(const std::string& path, std::string text);

}  // namespace opledger::scan
