// Reports likely registrations in Python files that are not read: notebooks, Cython and stubs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/dialect/python_dialect.h"
#include "registry/scan/facts/facts.h"

namespace opledger::scan {

// Returns the first call of a registering function in the text, by its full name or after an import
// of it; nullopt if there is none.
std::optional<Incomplete> FindInOtherPython(const PythonDialect& python, const std::string& path,
                                            std::string_view text);

}  // namespace opledger::scan
