// Reads what the Python files of a tree register. In: the files' texts and the dialect. Out: facts
// of each file. Files are evaluated (registry/list_source/evaluate), never run. A file is read if
// it names a function that registers, or a function of the tree that forwards its parameters to
// one.
// May include: registry/dialect, registry/list_source/evaluate, registry/python, registry/source,
// registry/text, registry/scan/facts, registry/scan/tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "registry/dialect/dialect.h"
#include "registry/scan/facts/facts.h"
#include "registry/source/source.h"

namespace opledger::scan {

using PythonTexts = std::map<std::string, std::string>;  // by path, relative to the root

// Returns the facts of each file that registers or is incomplete, by path. `texts`: all Python
// files of the sources. Files that the dialect excludes do not register, but can be imported.
std::map<std::string, Facts> ReadPython(const Source& source, const Dialect& dialect,
                                        const PythonTexts& texts);

}  // namespace opledger::scan
