// A fixpoint over all macros of the tree: only a project of several dialects needs it.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/macros/other_dialects.h"

#include <map>
#include <vector>

namespace opledger::scan {

std::set<std::string, std::less<>> MacrosOfOtherDialects(const SourceTree& tree,
                                                         const Dialect& dialect) {
  std::set<std::string, std::less<>> read(dialect.other_sinks.begin(), dialect.other_sinks.end());
  if (read.empty()) return read;
  std::map<std::string, std::vector<std::string>, std::less<>> named_by;
  for (const SourceFile& file : tree.files()) {
    for (const MacroDefinition& macro : file.outline.macros) {
      for (const std::string& name : macro.identifiers) named_by[name].push_back(macro.name);
    }
  }
  std::vector<std::string> added(read.begin(), read.end());
  while (!added.empty()) {
    const auto found = named_by.find(added.back());
    added.pop_back();
    if (found == named_by.end()) continue;
    for (const std::string& macro : found->second) {
      if (read.insert(macro).second) added.push_back(macro);
    }
  }
  return read;
}

}  // namespace opledger::scan
