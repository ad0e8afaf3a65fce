// Python source -> its syntax tree. All of the grammar of Python 3.8 to 3.13; nothing is run.
// What only a compiler refuses, such as a `return` outside a function, is no error here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "registry/python/ast.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// None after a syntax error, which is reported with its place, and where the tree would be too
// deep: 200 brackets, 100 blocks, 1000 nodes one within the other. The work is linear in the size
// of the source.
std::optional<PythonTree> ParsePython(std::shared_ptr<const SourceText> source,
                                      Diagnostics& diagnostics);

// The same without the statements in which there is an error: a block without those, or a header
// with its block. Each error is reported. None if there are more than 100 in the tokens.
std::optional<PythonTree> ParsePythonStatements(std::shared_ptr<const SourceText> source,
                                                Diagnostics& diagnostics);

}  // namespace opledger
