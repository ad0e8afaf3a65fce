// Files of the first two steps of a scan in steps (commands.h): outlines, and the macro index made
// of them. Only programs of the same build read them. They are sealed with a checksum.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/scan/macros/macros.h"
#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// Writes the outlines of all files, independent of their order in the tree.
std::string WriteOutlines(const SourceTree& tree, const Dialect& dialect);
// Adds the files that WriteOutlines wrote to `files`. Returns false if the bytes are damaged, or
// belong to another program or dialect.
bool ReadOutlines(std::string_view bytes, const Dialect& dialect, std::vector<SourceFile>& files);

// Builds a tree from such files: its units and what they include, in the order of a scan in one
// piece.
void MakeTree(SourceTree& tree, std::vector<SourceFile> files, std::vector<Incomplete>& incomplete);

std::string WriteIndex(const SourceTree& tree, const MacroIndex& index, const Dialect& dialect);

// An index that knows only the files that its units can include.
struct UnitIndex {
  std::vector<int> units;     // units whose facts were asked for
  std::vector<bool> reached;  // for each file, whether the units can include it
  std::unique_ptr<MacroIndex> index;
};

// Reads the part of an index that the files `paths` reach. If `paths` is empty, reads the part of
// all active headers. Returns nullopt if the bytes are not an index of this program and dialect, or
// the index does not have one of the paths.
std::optional<UnitIndex> ReadIndex(std::string_view bytes, const Dialect& dialect,
                                   const std::vector<std::string>& paths, SourceTree& tree);

}  // namespace opledger::scan
