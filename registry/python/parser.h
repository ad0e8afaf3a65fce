// Parses Python source into a syntax tree. Supports the full grammar of Python 3.8 to 3.13; no code
// is executed. Errors that only a compiler detects, such as a `return` outside a function, are not
// reported.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "registry/python/ast.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Returns nullopt after a syntax error, which is reported with its location, or if the tree would
// be too deep: 200 brackets, 100 blocks, or 1000 nested nodes. The work is linear in the size of
// the source.
std::optional<PythonTree> ParsePython(std::shared_ptr<const SourceText> source,
                                      Diagnostics& diagnostics);

// Like ParsePython, but leaves out statements with errors, that is, simple statements or a header
// with its block. Reports each error. Returns nullopt if the tokens have more than 100 errors.
std::optional<PythonTree> ParsePythonStatements(std::shared_ptr<const SourceText> source,
                                                Diagnostics& diagnostics);

}  // namespace opledger
