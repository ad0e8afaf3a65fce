// The first two of the three steps of a scan in pieces (commands.h) as files: outlines, and the
// macro index made of them. For programs of one build only; sealed with a checksum.
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

// Outlines of files, wherever they stand in their tree.
std::string WriteOutlines(const SourceTree& tree, const Dialect& dialect);
// Adds to `files` what WriteOutlines wrote; false where the bytes are damaged, or of another
// program or dialect.
bool ReadOutlines(std::string_view bytes, const Dialect& dialect, std::vector<SourceFile>& files);

// A tree of such files: its units and what they include, in the order of a scan in one piece.
void MakeTree(SourceTree& tree, std::vector<SourceFile> files, std::vector<Incomplete>& incomplete);

std::string WriteIndex(const SourceTree& tree, const MacroIndex& index, const Dialect& dialect);

// An index that knows only the files that `unit` can include.
struct UnitIndex {
  std::vector<int> units;     // whose facts were asked for
  std::vector<bool> reached;  // of all files: those that the units can include
  std::unique_ptr<MacroIndex> index;
};

// Reads the part of an index that the files `paths` reach; no path: all active headers. None where
// the bytes are no index of this program and dialect, or a path is not in it.
std::optional<UnitIndex> ReadIndex(std::string_view bytes, const Dialect& dialect,
                                   const std::vector<std::string>& paths, SourceTree& tree);

}  // namespace opledger::scan
