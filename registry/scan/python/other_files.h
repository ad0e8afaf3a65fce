// Python that is not read: notebooks, Cython and stubs. What seems to register in them is reported.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/dialect/python_dialect.h"
#include "registry/scan/facts/facts.h"

namespace opledger::scan {

// The first call in the text of a function that registers, by its full name or after an import of
// it; none if there is none.
std::optional<Incomplete> FindInOtherPython(const PythonDialect& python, const std::string& path,
                                            std::string_view text);

}  // namespace opledger::scan
