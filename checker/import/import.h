// opledger import FILE: a framework's own precision lists (Python, C++, or a manifest with
// policies) -> one of ours. The readers give a list module each, import_list.cpp the list.
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
  std::string device;             // empty: that of the lists, if they are of one
  bool bare = false;              // do not say where each entry stands in the source
  std::vector<std::string> maps;  // "NAME=POLICY", NAME a glob
  std::string output;             // empty: the list goes to `out`
};

// Exit status: 0 done; 2 nothing written, for a reason in `diagnostics`; 3 written, but something
// in the file could not be read. Warnings alone leave it 0.
int RunImport(const ImportOptions& options, std::string& out, Diagnostics& diagnostics);

}  // namespace opledger
