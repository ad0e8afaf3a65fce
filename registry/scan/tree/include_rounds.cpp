// Follows the resolved includes of each round. Each file is in exactly one round.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/include_rounds.h"

#include <algorithm>

namespace opledger::scan {

void AddCommandLine(SourceFile& unit) {
  std::string lines;
  for (const auto& [name, value] : unit.command.defines) {
    const bool number =
        std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!number || name.ends_with(')')) lines += "#define " + name + " " + value + "\n";
  }
  if (!lines.empty()) {
    static const Dialect kAny;
    Outline given = MakeOutline(lines, kAny);
    for (MacroDefinition& macro : given.macros) {
      macro.given = true;
      macro.offset = 0;
    }
    std::vector<MacroDefinition>& macros = unit.outline.macros;
    macros.insert(macros.begin(), given.macros.begin(), given.macros.end());
  }
  std::vector<Include> includes;
  for (const std::string& header : unit.command.headers) {
    includes.emplace_back().target = header;
  }
  std::vector<Include>& all = unit.outline.includes;
  all.insert(all.begin(), includes.begin(), includes.end());
}

std::vector<int> IncludeRounds::First(const std::map<std::string, CommandLine>& units,
                                      std::vector<Incomplete>& incomplete) {
  tree_.files().reserve(2 * units.size());
  std::vector<int> round;
  for (const auto& [path, command] : units) {
    int file = tree_.Find(path);
    if (file < 0) {
      incomplete.push_back({{path}, "file", "the file does not exist, or is a broken link"});
      continue;
    }
    tree_.files()[file].command = command;
    tree_.files()[file].is_unit = true;
    seen_.resize(tree_.files().size());
    seen_[file] = true;
    round.push_back(file);
  }
  return round;
}

// Resolves the includes of a file. Files that are new go to the next round.
void IncludeRounds::Follow(int file, std::vector<int>& next) {
  const std::vector<Include> includes = tree_.files()[file].outline.includes;
  std::vector<int> found;
  for (const Include& include : includes) {
    int other = tree_.Resolve(file, include);
    tree_.files()[file].include_files.push_back(other);
    if (other < 0) continue;
    if (std::find(found.begin(), found.end(), other) == found.end()) found.push_back(other);
    tree_.files()[other].included = true;
    seen_.resize(tree_.files().size());
    if (!seen_[other]) {
      seen_[other] = true;
      if (!tree_.files()[other].regular) includer_[other] = file;
      next.push_back(other);
    }
  }
  tree_.files()[file].includes = std::move(found);
}

std::vector<int> IncludeRounds::Next(const std::vector<int>& round) {
  std::vector<int> next;
  for (int file : round) {
    AddCommandLine(tree_.files()[file]);
    Follow(file, next);
  }
  return next;
}

int IncludeRounds::IncluderOf(int irregular) const {
  const auto found = includer_.find(irregular);
  return found == includer_.end() ? -1 : found->second;
}

}  // namespace opledger::scan
