// Walks the include graph backward, for the few sets whose names are not unique.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/set_readers.h"

#include <algorithm>
#include <map>

namespace opledger::scan {
namespace {

std::vector<std::vector<int>> Includers(const std::vector<SourceFile>& files) {
  std::vector<std::vector<int>> includers(files.size());
  for (std::size_t file = 0; file < files.size(); ++file) {
    for (int included : files[file].includes) {
      includers[static_cast<std::size_t>(included)].push_back(static_cast<int>(file));
    }
  }
  return includers;
}

// Returns the file, followed by all files that include it, directly or indirectly, sorted.
std::vector<std::string> ReadersOf(const std::vector<SourceFile>& files,
                                   const std::vector<std::vector<int>>& includers, int file) {
  std::vector<bool> seen(files.size());
  std::vector<int> open{file};
  std::vector<std::string> readers;
  while (!open.empty()) {
    const auto at = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    readers.push_back(files[at].path);
    open.insert(open.end(), includers[at].begin(), includers[at].end());
  }
  std::sort(readers.begin() + 1, readers.end());
  return readers;
}

}  // namespace

void NameReaders(SourceTree& tree) {
  std::vector<SourceFile>& files = tree.files();
  std::map<std::string_view, std::vector<int>> declared;  // set -> files, ascending
  for (std::size_t file = 0; file < files.size(); ++file) {
    for (const AttributeSet& set : files[file].outline.attribute_sets) {
      std::vector<int>& in = declared[set.name];
      if (in.empty() || in.back() != static_cast<int>(file)) in.push_back(static_cast<int>(file));
    }
  }
  std::vector<std::vector<int>> includers;
  for (const auto& [name, in] : declared) {
    if (in.size() < 2) continue;
    if (includers.empty()) includers = Includers(files);
    for (int file : in) {
      SourceFile& of = files[static_cast<std::size_t>(file)];
      for (AttributeSet& set : of.outline.attribute_sets) {
        if (set.name == name) set.readers = ReadersOf(files, includers, file);
      }
    }
  }
}

}  // namespace opledger::scan
