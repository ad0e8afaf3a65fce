// Reads what the Python files of a tree register. In: the files' names, the dialect; out: facts of
// each file. Files are evaluated (registry/list_source/evaluate), never run; which ones matter is
// told by the names of the functions that register, and by those of functions of the tree that hand
// their parameters on to these.
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

// The facts of each file that registers or is incomplete, by path. `texts`: all Python files of
// the sources. In those that the dialect excludes nothing registers, but they can be imported.
std::map<std::string, Facts> ReadPython(const Source& source, const Dialect& dialect,
                                        const PythonTexts& texts);

}  // namespace opledger::scan
