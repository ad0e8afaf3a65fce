// Reads what the Python files of a tree register. In: the files' names, the dialect; out: facts of
// each file. Files are evaluated (registry/list_source/evaluate), never run; which ones matter is
// told by the names of the functions that register, and by those of functions of the tree that hand
// their parameters on to these.
// May include: registry/dialect, registry/list_source/evaluate, registry/python, registry/source,
// registry/text, registry/scan/facts, registry/scan/tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/facts/facts.h"
#include "registry/source/source.h"

namespace opledger::scan {

struct PythonFacts {
  std::map<std::string, Facts> files;         // by path: those that register or are incomplete
  std::map<std::string, std::string> unread;  // with the reason
  std::set<std::string> read;                 // all that were looked at
};

// `files`: relative to the root of the source. Of what `excluded` names modules may be imported,
// but nothing registers there.
PythonFacts ReadPython(const Source& source, const Dialect& dialect,
                       const std::set<std::string>& files);

}  // namespace opledger::scan
