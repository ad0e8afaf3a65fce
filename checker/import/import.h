// opledger import FILE: turns a framework's own precision lists (Python, C++, or a manifest with
// policies) into an opledger list. The readers return list modules, from which import_list.cpp
// makes the list.
// May include: checker/terminal, registry/condition, registry/files, registry/json,
// registry/list_source, registry/precision_list, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/text/diagnostics.h"

namespace opledger {

struct ImportOptions {
  std::string file;
  std::string framework;          // empty: guessed from the names in the file
  std::string target_dtype;       // empty: likewise
  std::string configuration;      // empty: not written
  std::string device;             // empty: that of the lists, if they have only one
  bool bare = false;              // omit the source place of each entry
  std::vector<std::string> maps;  // "NAME=POLICY", where NAME is a glob
  std::string output;             // empty: append the list to `out`
};

// Returns the exit status: 0 done; 2 nothing written, with errors; 3 written, but some of the file
// could not be read. Warnings do not change it.
int RunImport(const ImportOptions& options, std::string& out, Diagnostics& diagnostics);

}  // namespace opledger
