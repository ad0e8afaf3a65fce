// Decorators and calls in Python that are given names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/scan/discover/discover.h"

namespace opledger::scan {

// `path`: for the definitions' names, which are qualified: "package.module.register_op".
FileUses FindPythonUses(const std::string& path, std::string text);

}  // namespace opledger::scan
