// Computes a fixpoint over all macros of the tree, which only projects with several dialects need.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/macros/other_dialects.h"

#include <algorithm>
#include <map>

namespace opledger::scan {
namespace {

// Maps a macro or sink to the macros whose definitions name it.
using NamedBy = std::map<std::string, std::vector<std::string>, std::less<>>;

NamedBy NamesInDefinitions(const SourceTree& tree) {
  NamedBy named_by;
  for (const SourceFile& file : tree.files()) {
    for (const MacroDefinition& macro : file.outline.macros) {
      for (const std::string& name : macro.identifiers) named_by[name].push_back(macro.name);
    }
  }
  return named_by;
}

}  // namespace

OtherDialects::OtherDialects(const SourceTree& tree, const Dialect& dialect) {
  if (dialect.others.empty()) return;
  const NamedBy named_by = NamesInDefinitions(tree);
  for (const auto& each : dialect.others) {
    Other& other = others_.emplace_back();
    other.dialect = each.get();
    std::vector<std::string> added;
    for (const Sink& sink : each->sinks) added.push_back(sink.macro);
    other.macros.insert(added.begin(), added.end());
    while (!added.empty()) {
      const auto found = named_by.find(added.back());
      added.pop_back();
      if (found == named_by.end()) continue;
      for (const std::string& macro : found->second) {
        if (other.macros.insert(macro).second) added.push_back(macro);
      }
    }
  }
}

bool OtherDialects::Read(std::string_view macro, const SourceFile& file) const {
  return std::any_of(others_.begin(), others_.end(), [&](const Other& other) {
    return other.macros.contains(macro) && (!file.is_unit || other.dialect->HasSource(file.path));
  });
}

}  // namespace opledger::scan
